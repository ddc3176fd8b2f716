#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cotangent/manifold/initial_data.hpp"
#include "cotangent/manifold/redundancy.hpp"
#include "cotangent/manifold/regular_elements.hpp"
#include "cotangent/model/reader.hpp"
#include "cotangent/projection/projection.hpp"
#include "cotangent/system/legendre/momentum_map.hpp"
#include "tests/support/instance.hpp"
#include "tests/support/mechanisms.hpp"

namespace cotangent::test {

/// A mechanism as far as projections need it, in arithmetic T.
template <class T>
struct Bench {
  explicit Bench(const Mechanism& mechanism)
      : model(read_model_text(mechanism.text, mechanism.name)),
        elements(regular_elements(model, notes)),
        system(elements, Backend::interpreter),
        manifold(system) {}

  Model model;
  std::vector<std::string> notes;
  std::shared_ptr<const Elements> elements;
  System<T> system;
  Manifold<T> manifold;
};

/// All systems with constraints.
inline std::vector<Mechanism> constrained_systems() {
  std::vector<Mechanism> list;
  for (const Mechanism& mechanism : all_systems())
    if (mechanism.text.find("[constraints]") != std::string::npos) list.push_back(mechanism);
  return list;
}

/// The start of a mechanism, on the manifold, at another time than zero, with redundancy settled.
inline PhasePoint<Quad> start_of(Bench<Quad>& bench, double t = 0.3) {
  PhasePoint<Quad> z = make_initial_data(bench.model, bench.manifold).z;
  z.t = t;
  if (bench.system.m() > 0) {
    EXPECT_TRUE(bench.manifold.project_position(z).converged && bench.manifold.project_momentum(z).converged);
    settle_redundancy(bench.manifold, z);
  }
  return z;
}

/// The same nullity in another arithmetic.
template <class T>
void settle_like(Bench<T>& bench, Bench<Quad>& exact) {
  if (exact.manifold.matrix().nullity() > 0) bench.manifold.matrix().set_nullity(exact.manifold.matrix().nullity());
}

/// A point nearby, in numbers that a double has.
inline PhasePoint<Quad> disturbed(PhasePoint<Quad> z, double distance, std::uint64_t seed = 5) {
  Noise noise(seed);
  for (auto* x : {&z.q, &z.p, &z.s})
    for (Quad& entry : *x) entry = static_cast<double>(entry + static_cast<Quad>(distance) * noise());

  return z;
}

template <class T>
PhasePoint<T> rounded(const PhasePoint<Quad>& z) {
  PhasePoint<T> result(static_cast<std::int64_t>(z.q.size()), static_cast<std::int64_t>(z.s.size()));
  result.q = converted<T>(z.q);
  result.p = converted<T>(z.p);
  result.s = converted<T>(z.s);
  result.t = static_cast<LaneOf<T>>(z.t);
  return result;
}

/// |z - z~|^2 in a metric, that of the point x.
class Distance {
 public:
  /// @param tau the unit of time of the mass metric.
  Distance(Bench<Quad>& bench, Metric metric, const PhasePoint<Quad>& x, double tau = 1)
      : bench_(bench), metric_(metric), x_(x), per_tau_squared_(1 / (Quad(tau) * Quad(tau))) {
    if (metric == Metric::mass) {
      map_.emplace(bench.system);
      v_.resize(x_.q.size());
      bench.system.at(x_).H_p(v_);
      EXPECT_TRUE(map_->at(x_.q.data(), v_.data(), x_.t));
    }
  }

  Quad squared(const PhasePoint<Quad>& a, const PhasePoint<Quad>& b) {
    const std::size_t n = a.q.size();
    std::vector<Quad> dq(n), dp(n), Mdq, Wdp;
    for (std::size_t j = 0; j < n; ++j) {
      dq[j] = a.q[j] - b.q[j];
      dp[j] = a.p[j] - b.p[j];
    }
    Mdq = dq;
    Wdp = dp;
    if (metric_ == Metric::mass) {
      map_->mass_times(dq.data(), Mdq.data());
      for (Quad& entry : Mdq) entry *= per_tau_squared_;
      bench_.system.at(x_).H_pp_times(dp, Wdp);
    }
    Quad sum = 0;
    for (std::size_t j = 0; j < n; ++j) sum += dq[j] * Mdq[j] + dp[j] * Wdp[j];
    for (std::size_t j = 0; j < static_cast<std::size_t>(bench_.elements->states); ++j)
      sum += (a.s[j] - b.s[j]) * (a.s[j] - b.s[j]);
    return sum;
  }

 private:
  Bench<Quad>& bench_;
  Metric metric_;
  PhasePoint<Quad> x_;
  Quad per_tau_squared_;
  std::vector<Quad> v_;
  std::optional<MomentumMap<Quad>> map_;
};

}  // namespace cotangent::test
