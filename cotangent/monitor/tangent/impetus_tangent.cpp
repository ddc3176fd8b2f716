#include "cotangent/monitor/tangent/impetus_tangent.hpp"

#include <algorithm>

namespace cotangent {

ImpetusTangent::ImpetusTangent(Manifold<Tangents>& manifold)
    : manifold_(manifold),
      psi_(manifold.system()),
      dq_(static_cast<std::size_t>(manifold.system().n()), Tangents(0)),
      difference_(dq_),
      curvature_(dq_),
      l_(static_cast<std::size_t>(manifold.system().m()), Tangents(0)) {}

bool ImpetusTangent::lift(Point<Tangents>& z) {
  OwnVariables<Tangents>& own = z.own();
  for (std::size_t j = 0; j < dq_.size(); ++j) difference_[j] = own.p[j].value - z->p[j].value;
  if (!l_.empty()) {
    psi_.at(z);
    psi_.H_pp_times(difference_.data(), curvature_.data());
    psi_.G_times(curvature_.data(), l_.data());
    if (!manifold_.matrix().factor(z).regular) return false;
    manifold_.matrix().solve(l_.data());
  }
  for (const int i : {0, 1}) {
    for (std::size_t j = 0; j < dq_.size(); ++j) dq_[j] = z->q[j].d[i];
    std::fill(curvature_.begin(), curvature_.end(), Tangents(0));
    if (!l_.empty()) psi_.curvature(l_.data(), dq_.data(), Time::held, curvature_.data());
    for (std::size_t j = 0; j < dq_.size(); ++j) {
      own.q[j].d[i] = z->q[j].d[i];
      own.q_low[j].d[i] = z->q_low[j].d[i];
      own.p[j].d[i] = z->p[j].d[i] + curvature_[j].value;
      own.p_low[j].d[i] = z->p_low[j].d[i];
    }
  }
  return true;
}

}  // namespace cotangent
