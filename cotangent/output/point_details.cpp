#include "cotangent/output/run_report.hpp"

namespace cotangent {

template <class T>
PointDetails<T> point_details(Manifold<T>& manifold, const PhasePoint<T>& z) {
  System<T>& system = manifold.system();
  PointDetails<T> details;
  details.velocities.resize(z.q.size());
  std::vector<T> f(z.q.size());
  Frame<T> frame = system.frame();
  frame.in[in::q] = z.q.data();
  frame.in[in::p] = z.p.data();
  frame.out[out::result] = details.velocities.data();
  system.H_p()(frame);
  if (system.m() == 0) return details;

  frame.out[out::result] = f.data();
  system.H_q()(frame);
  details.multipliers.resize(static_cast<std::size_t>(system.m()));
  const auto factor =
      manifold.multipliers(z.q.data(), z.p.data(), details.velocities.data(), f.data(), details.multipliers.data());
  if (!all(factor.regular)) details.multipliers.clear();
  return details;
}

template PointDetails<double> point_details(Manifold<double>&, const PhasePoint<double>&);
template PointDetails<long double> point_details(Manifold<long double>&, const PhasePoint<long double>&);
template PointDetails<Quad> point_details(Manifold<Quad>&, const PhasePoint<Quad>&);

}  // namespace cotangent
