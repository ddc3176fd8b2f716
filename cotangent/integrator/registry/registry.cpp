#include "cotangent/integrator/registry/registry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/base/unknown_name.hpp"
#include "cotangent/integrator/families.hpp"
#include "cotangent/integrator/rattle/rattle.hpp"

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
          .make = [](const MethodName&, const MethodRequest<T>& request) { return make_rattle(request.manifold); }};
}

}  // namespace

const char* describe(MethodKind kind) {
  // In the order of the kinds.
  static constexpr const char* names[] = {"constrained",          "explicit Runge-Kutta",
                                          "implicit Runge-Kutta", "extrapolation",
                                          "energy-keeping",       "splitting",
                                          "composition",          "projected",
                                          "group-preserving",     "Taylor series"};
  return names[static_cast<std::size_t>(kind)];
}

template <class T>
const std::vector<MethodFamily<T>>& method_families() {
  static const std::vector<MethodFamily<T>> list = [] {
    std::vector<MethodFamily<T>> all{rattle_family<T>()};
    for (const auto& families :
         {direct_families<T>(), explicit_families<T>(), implicit_families<T>(), splitting_families<T>(),
          reich_family<T>(), composition_families<T>(), projected_family<T>(), projected_midpoint_family<T>(),
          group_preserving_families<T>(), taylor_family<T>()})
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
std::unique_ptr<Integrator<T>> Method<T>::make(MethodRequest<T> request) const {
  const std::string usual = default_formulation(facts, request.manifold.system().elements());
  if (request.formulation.empty()) request.formulation = usual;
  if (std::find(facts.formulations.begin(), facts.formulations.end(), request.formulation) == facts.formulations.end())
    throw std::invalid_argument(fmt::format("the method '{}' takes the formulation {}, not '{}'", facts.name,
                                            fmt::join(facts.formulations, " or "), request.formulation));
  if (request.formulation_options.stage_projection && request.formulation == direct_facts().name)
    throw std::invalid_argument(
        fmt::format("the method '{}' has no stages that could be projected: under the formulation '{}' constraints are "
                    "part of its equations; use rk4, say, or implicit-midpoint on the formulation 'standard'",
                    facts.name, request.formulation));
  return family->make(name, request);
}

std::string default_formulation(const MethodFacts& facts, const Elements& elements) {
  const auto& names = facts.formulations;
  if (elements.dynamics != Dynamics::equations) return names.front();
  const std::string equations = "equations";
  if (std::find(names.begin(), names.end(), equations) == names.end())
    throw std::invalid_argument(
        fmt::format("the method '{}' is for mechanical systems, and this one has no coordinates: for ordinary "
                    "differential equations use dop853, rk4, gauss:2 or radau-iia:3, say",
                    facts.name));
  return equations;
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
