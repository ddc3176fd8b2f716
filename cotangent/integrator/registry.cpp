#include "cotangent/integrator/registry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/base/unknown_name.hpp"
#include "cotangent/integrator/composition_families.hpp"
#include "cotangent/integrator/direct_families.hpp"
#include "cotangent/integrator/explicit_families.hpp"
#include "cotangent/integrator/implicit_families.hpp"
#include "cotangent/integrator/method_alias.hpp"
#include "cotangent/integrator/projected_family.hpp"
#include "cotangent/integrator/rattle.hpp"
#include "cotangent/integrator/reich_family.hpp"
#include "cotangent/integrator/splitting_families.hpp"

namespace cotangent {
namespace {

template <class T>
MethodFamily<T> rattle_family() {
  return {.word = "rattle",
          .pattern = "rattle",
          .members = {"rattle"},
          .facts =
              [](const MethodName& name) {
                expect_plain(name);
                return rattle_facts();
              },
          .make = [](const MethodName&, Manifold<T>& manifold, std::string_view, const FormulationOptions&,
                     const MethodOptions&) { return make_rattle(manifold); }};
}

}  // namespace

const char* describe(MethodKind kind) {
  switch (kind) {
    case MethodKind::constrained:
      return "constrained";
    case MethodKind::explicit_runge_kutta:
      return "explicit Runge-Kutta";
    case MethodKind::implicit_runge_kutta:
      return "implicit Runge-Kutta";
    case MethodKind::extrapolation:
      return "extrapolation";
    case MethodKind::energy_keeping:
      return "energy-keeping";
    case MethodKind::splitting:
      return "splitting";
    case MethodKind::composition:
      return "composition";
    case MethodKind::projected:
      return "projected";
  }
  return "";
}

template <class T>
const std::vector<MethodFamily<T>>& method_families() {
  static const std::vector<MethodFamily<T>> list = [] {
    std::vector<MethodFamily<T>> all{rattle_family<T>()};
    for (const auto& families :
         {direct_families<T>(), explicit_families<T>(), implicit_families<T>(), splitting_families<T>(),
          reich_family<T>(), composition_families<T>(), projected_family<T>()})
      all.insert(all.end(), families.begin(), families.end());
    return all;
  }();
  return list;
}

template <class T>
const std::vector<Method<T>>& methods() {
  static const std::vector<Method<T>> list = [] {
    std::vector<Method<T>> all;
    for (const auto& family : method_families<T>())
      for (const auto& member : family.members) all.push_back(find_method<T>(member));
    return all;
  }();
  return list;
}

template <class T>
std::unique_ptr<Integrator<T>> Method<T>::make(Manifold<T>& manifold, std::string_view formulation,
                                               const FormulationOptions& options,
                                               const MethodOptions& method_options) const {
  if (formulation.empty()) formulation = facts.formulations.front();
  if (std::find(facts.formulations.begin(), facts.formulations.end(), formulation) == facts.formulations.end())
    throw std::invalid_argument(fmt::format("the method '{}' takes the formulation {}, not '{}'", facts.name,
                                            fmt::join(facts.formulations, " or "), formulation));
  if (options.stage_projection && formulation == direct_facts().name)
    throw std::invalid_argument(
        fmt::format("the method '{}' has no stages that could be projected: under the formulation '{}' constraints are "
                    "part of its equations; use implicit-midpoint or rk4, say",
                    facts.name, formulation));
  return family->make(name, manifold, formulation, options, method_options);
}

template <class T>
Method<T> find_method(std::string_view text) {
  const MethodName name = without_alias(parse_method_name(text));
  std::vector<std::string> words;
  for (const auto& family : method_families<T>()) {
    if (family.word == name.word) return {family.facts(name), name, &family};
    words.insert(words.end(), family.members.begin(), family.members.end());
  }
  throw UnknownName("method", text, words);
}

COTANGENT_INSTANTIATE(NUMBERS, Method);
#define COTANGENT_FUNCTIONS(T)                                    \
  template const std::vector<MethodFamily<T>>& method_families(); \
  template const std::vector<Method<T>>& methods();               \
  template Method<T> find_method(std::string_view);
COTANGENT_FOR_NUMBERS(COTANGENT_FUNCTIONS)

}  // namespace cotangent
