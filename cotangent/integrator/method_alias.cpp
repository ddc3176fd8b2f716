#include "cotangent/integrator/method_alias.hpp"

#include <fmt/format.h>

#include <array>
#include <stdexcept>
#include <utility>

namespace cotangent {
namespace {

using Pair = std::pair<const char*, const char*>;

// Names that are whole.
constexpr std::array kNames{Pair{"verlet", "stormer-verlet:kick"},
                            Pair{"leapfrog", "stormer-verlet:kick"},
                            Pair{"velocity-verlet", "stormer-verlet:kick"},
                            Pair{"position-verlet", "stormer-verlet"},
                            Pair{"yoshida4", "forest-ruth"},
                            Pair{"yoshida6", "compose:6:yoshida(stormer-verlet)"},
                            Pair{"explicit-euler", "euler"},
                            Pair{"forward-euler", "euler"},
                            Pair{"explicit-midpoint", "rk2"},
                            Pair{"rk", "rk4"},
                            Pair{"rk45", "dopri5"},
                            Pair{"ode45", "dopri5"},
                            Pair{"dormand-prince", "dopri5"},
                            Pair{"bulirsch-stoer", "odex"},
                            Pair{"implicit-euler", "radau-iia:1"},
                            Pair{"backward-euler", "radau-iia:1"},
                            Pair{"radau", "radau-iia:3"},
                            Pair{"radau5", "radau-iia:3"},
                            Pair{"trapezoidal", "lobatto-iiia:2"},
                            Pair{"crank-nicolson", "lobatto-iiia:2"},
                            Pair{"dirk", "sdirk4"},
                            Pair{"sdirk", "sdirk4"}};

// Words, before arguments.
constexpr std::array kWords{Pair{"gauss-legendre", "gauss"}, Pair{"radau", "radau-iia"}, Pair{"radauiia", "radau-iia"}};

// What there is not.
constexpr std::array kNone{
    Pair{"midpoint", "use implicit-midpoint, or rk2 for the explicit one"},
    Pair{"symplectic-euler", "use stormer-verlet, which costs the same and is symmetric"},
    Pair{"rkf45", "use dopri5, a pair of the same orders"},
    Pair{"rk23", "use dopri5 or, for low accuracy, heun"},
    Pair{"bdf", "use radau-iia:3 for stiff systems"},
    Pair{"ode15s", "use radau-iia:3 for stiff systems"},
    Pair{"ode23s", "use radau-iia:3 for stiff systems"},
    Pair{"rosenbrock", "use radau-iia:3 for stiff systems"},
    Pair{"lsoda", "leave the method out: with `tolerance` a stiff system gets radau-iia:3, others dop853"},
    Pair{"newmark", "use implicit-midpoint, or rattle with constraints"},
};

}  // namespace

MethodName without_alias(const MethodName& name) {
  MethodName result = name;
  if (name.inner) result.inner = std::make_shared<const MethodName>(without_alias(*name.inner));
  const bool is_plain = name.arguments.empty() && !name.inner;
  for (const auto& [alias, meant] : kNames)
    if (is_plain && name.word == alias) return parse_method_name(meant);
  for (const auto& [alias, word] : kWords)
    if (name.word == alias) result.word = word;
  for (const auto& [word, instead] : kNone)
    if (name.word == word) throw std::invalid_argument(fmt::format("there is no method '{}': {}", name.word, instead));
  return result;
}

}  // namespace cotangent
