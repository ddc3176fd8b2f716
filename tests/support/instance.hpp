#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "cotangent/base/point.hpp"
#include "cotangent/elements/elements.hpp"
#include "cotangent/elements/extract.hpp"
#include "cotangent/manifold/manifold.hpp"
#include "tests/support/problems.hpp"

namespace cotangent::test {

/// A problem with everything that is built on it, in arithmetic T.
template <class T>
struct Instance {
  explicit Instance(const Problem& problem, Backend backend = Backend::interpreter)
      : Instance(read(problem), backend) {}
  explicit Instance(Model changed, Backend backend = Backend::interpreter)
      : model(std::move(changed)),
        elements(std::make_shared<Elements>(extract_elements(model))),
        system(elements, backend),
        manifold(system) {}

  std::size_t n() const { return static_cast<std::size_t>(elements->n); }
  std::size_t m() const { return static_cast<std::size_t>(elements->m); }

  Model model;
  std::shared_ptr<const Elements> elements;
  System<T> system;
  Manifold<T> manifold;
};

template <class T>
std::vector<T> converted(const std::vector<Quad>& x) {
  std::vector<T> y;
  for (const Quad& value : x) {
    if constexpr (lane_count<T> == 1) {
      y.push_back(static_cast<T>(value));
    } else {
      y.push_back(T(static_cast<double>(value)));
    }
  }
  return y;
}

/// The same point, rounded. All lanes alike.
template <class T>
PhasePoint<T> converted(const PhasePoint<Quad>& z) {
  PhasePoint<T> result(static_cast<std::int64_t>(z.q.size()), static_cast<std::int64_t>(z.s.size()));
  result.q = converted<T>(z.q);
  result.p = converted<T>(z.p);
  result.s = converted<T>(z.s);
  return result;
}

/// Puts a point into one lane.
inline void set_lane(PhasePoint<Lanes>& batch, int lane, const PhasePoint<double>& z) {
  const auto set = [&](std::vector<Lanes>& lanes, const std::vector<double>& x) {
    for (std::size_t j = 0; j < x.size(); ++j) lanes[j][lane] = x[j];
  };
  set(batch.q, z.q);
  set(batch.p, z.p);
  set(batch.s, z.s);
  set(batch.q_low, z.q_low);
  set(batch.p_low, z.p_low);
  set(batch.s_low, z.s_low);
}

/// A point of the constraint manifold, to the last bits of a Quad: the given one for seed 0, others nearby.
inline PhasePoint<Quad> consistent_point(const Problem& problem, std::uint64_t seed = 0) {
  static std::map<std::pair<std::string, std::uint64_t>, PhasePoint<Quad>> found;
  if (const auto known = found.find({problem.text, seed}); known != found.end()) return known->second;
  Instance<Quad> instance(problem);
  PhasePoint<Quad> z = noisy_point(instance.model, seed, seed == 0 ? 0 : 0.05);
  if (instance.m() > 0 &&
      !(instance.manifold.project_position(z).converged && instance.manifold.project_momentum(z).converged))
    throw std::runtime_error(problem.name + ": no consistent point was found");
  return found[{problem.text, seed}] = z;
}

template <class T>
Point<T> start(const Problem& problem, std::uint64_t seed = 0) {
  return converted<T>(consistent_point(problem, seed));
}

template <class T>
T energy(System<T>& system, const std::type_identity_t<PhasePoint<T>>& z) {
  return system.at(z.q, z.p).H();
}

/// max |a - b|, states included.
template <class T>
T distance(const std::vector<T>& a, const std::vector<T>& b) {
  T largest(0);
  for (std::size_t j = 0; j < a.size(); ++j) largest = max(largest, abs(a[j] - b[j]));
  return largest;
}

template <class T>
T distance(const PhasePoint<T>& a, const std::type_identity_t<PhasePoint<T>>& b) {
  return max(max(distance(a.q, b.q), distance(a.p, b.p)), distance(a.s, b.s));
}
template <class T>
T distance(const Point<T>& a, const std::type_identity_t<PhasePoint<T>>& b) {
  return distance(a.state(), b);
}

template <class T>
T largest(const std::vector<T>& a) {
  return distance(a, std::vector<T>(a.size(), T(0)));
}

}  // namespace cotangent::test
