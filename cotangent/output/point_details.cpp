#include "cotangent/output/run_report.hpp"

namespace cotangent {

template <class T>
PointDetails<T> point_details(Manifold<T>& manifold, const PhasePoint<T>& z) {
  System<T>& system = manifold.system();
  PointDetails<T> details;
  details.velocities.resize(z.q.size());
  Frame<T> frame = system.frame();
  frame.in[in::q] = z.q.data();
  const T t(z.t);
  frame.in[in::p] = z.p.data();
  frame.in[in::t] = &t;
  frame.out[out::result] = details.velocities.data();
  system.H_p()(frame);
  if (system.m() == 0) return details;

  std::vector<T> F(z.q.size());
  T power(0);
  details.multipliers.resize(static_cast<std::size_t>(system.m()));
  const auto factor =
      manifold.multipliers(z, details.velocities.data(), details.multipliers.data(), F.data(), power);
  if (!all(factor.regular)) details.multipliers.clear();
  return details;
}

template PointDetails<double> point_details(Manifold<double>&, const PhasePoint<double>&);
template PointDetails<long double> point_details(Manifold<long double>&, const PhasePoint<long double>&);
template PointDetails<Quad> point_details(Manifold<Quad>&, const PhasePoint<Quad>&);

}  // namespace cotangent
