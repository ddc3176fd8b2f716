#include "cotangent/simulation/minimal_start.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/elements/refusal.hpp"
#include "cotangent/formulation/minimal_coordinates.hpp"

namespace cotangent {
namespace {

// "x = 0.6, y = -0.8", the first few.
template <class T>
std::string point_text(const Model& model, const std::vector<T>& q) {
  constexpr std::size_t kShown = 4;
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < std::min(q.size(), kShown); ++i)
    parts.push_back(
        fmt::format("{} = {:g}", entry_name(model, static_cast<std::int64_t>(i)), static_cast<double>(q[i])));
  return fmt::format("{}{}", fmt::join(parts, ", "), q.size() > kShown ? ", ..." : "");
}

}  // namespace

template <class T>
void expect_minimal_start(const Model& model, Manifold<T>& manifold, const PhasePoint<T>& z) {
  MinimalCoordinates<T> phi(manifold.system());
  std::vector<T> s, u, v(z.q.size(), T(0));
  const T t(z.t);
  if (!phi.find(z.q.data(), t, s))
    throw refusal(model, model.minimal->where,
                  fmt::format("[minimal] does not reach the initial position {}: no values of its coordinates were "
                              "found that give it",
                              point_text(model, z.q)),
                  "see to it that the initial position is on the same branch of roots and the like, and that the "
                  "coordinates are regular there; a guess = { ... } may help");
  manifold.system().at(z).H_p(v);
  if (!phi.find_velocity(s.data(), v.data(), t, u))
    throw refusal(model, model.minimal->where,
                  fmt::format("[minimal] does not give the initial velocities at {}, whatever those of its coordinates",
                              point_text(model, z.q)),
                  "it needs as many coordinates as there are degrees of freedom, regular at the initial position");
}

#define COTANGENT_FUNCTIONS(T) template void expect_minimal_start(const Model&, Manifold<T>&, const PhasePoint<T>&);
COTANGENT_FOR_PRECISIONS(COTANGENT_FUNCTIONS)

}  // namespace cotangent
