#include <fmt/format.h>

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/integrator/composed/projected.hpp"
#include "cotangent/integrator/families.hpp"
#include "cotangent/integrator/group_preserving/gps.hpp"
#include "cotangent/integrator/group_preserving/hamiltonian_mgps.hpp"
#include "cotangent/integrator/registry/registry.hpp"

namespace cotangent {
namespace {

MethodFacts gps_facts(const MethodName& name) {
  expect_plain(name);
  return {.name = "gps",
          .kind = MethodKind::group_preserving,
          .description = "a step along f whose length lets the Lorentz group act on (x, |x|)",
          .order = 1,
          .has_sets = true,
          .formulations = {"standard", "equations"},
          .applies_to = "every system, no constraints",
          .reference = "liu06"};
}

MethodFacts hamiltonian_mgps_facts(const MethodName& name) {
  expect_plain(name);
  return {.name = "hamiltonian-mgps",
          .kind = MethodKind::group_preserving,
          .description = "gps for the gradient of the one invariant, whose length the invariant determines",
          .order = 1,
          .formulations = {"equations"},
          .applies_to = "x' = f(x) with one invariant, whose Hessian is regular: declared invariants, no constraints",
          .reference = "liu06"};
}

// The same for a system: its invariants are kept, or those of these names.
MethodFacts made_for(const Elements& elements, MethodFacts facts, const std::vector<std::string>& names = {}) {
  facts.keeps_invariants = names.empty() ? declared_invariants(elements) : names;
  if (facts.keeps_invariants.empty())
    throw std::invalid_argument(fmt::format(
        "the method '{}' keeps declared invariants, and here are none; declare them in [invariants]", facts.name));
  return facts;
}

// A method with a scaling after it, under a name of its own.
MethodFacts scaled_facts(const MethodName& name, const std::string& method) {
  expect_no_inner(name);
  MethodFacts facts = find_method<double>("project:scaling(" + method + ")").facts;
  facts.name = name.text();
  facts.kind = MethodKind::group_preserving;
  return facts;
}

template <class T>
using Make = std::function<std::unique_ptr<Integrator<T>>(const MethodName& name, const MethodRequest<T>& request)>;

template <class T>
MethodFamily<T> family(const std::string& word, const std::function<MethodFacts(const MethodName&)>& facts,
                       const Make<T>& make) {
  return {.word = word, .pattern = word, .members = {word}, .facts = facts, .make = make};
}

template <class T>
MethodFamily<T> gps() {
  return family<T>("gps", gps_facts, [](const MethodName& name, const MethodRequest<T>& request) {
    if (request.manifold.system().m() > 0)
      throw std::invalid_argument(fmt::format(
          "the method '{}' is for x' = f(x, t) and takes no constraints; use 'rk4', or 'rattle'", name.text()));
    return std::make_unique<GroupPreserving<T>>(gps_facts(name), request.options.sets, request.make_formulation());
  });
}

template <class T>
MethodFamily<T> scaled(const std::string& word, const std::string& method) {
  const auto facts = [method](const MethodName& name) { return scaled_facts(name, method); };
  auto scheme = family<T>(word, facts, [method](const MethodName& name, const MethodRequest<T>& request) {
    MethodFacts made = made_for(request.manifold.system().elements(), scaled_facts(name, method), name.arguments);
    const ProjectionPolicy policy{
        .projection = Projection::scaling, .invariants = made.keeps_invariants, .sets = request.options.sets};
    return std::make_unique<Projected<T>>(std::move(made), request.manifold, policy,
                                          find_method<T>(method).make(request));
  });
  scheme.pattern = word + "[:NAMES]";
  return scheme;
}

template <class T>
MethodFamily<T> hamiltonian_mgps() {
  return family<T>("hamiltonian-mgps", hamiltonian_mgps_facts,
                   [](const MethodName& name, const MethodRequest<T>& request) {
                     System<T>& system = request.manifold.system();
                     return std::make_unique<HamiltonianMgps<T>>(
                         made_for(system.elements(), hamiltonian_mgps_facts(name)), system, request.make_formulation());
                   });
}

}  // namespace

template <class T>
std::vector<MethodFamily<T>> group_preserving_families() {
  return {gps<T>(), scaled<T>("mgps", "gps"), scaled<T>("mrk4", "rk4"), hamiltonian_mgps<T>()};
}

#define COTANGENT_FUNCTIONS(T) template std::vector<MethodFamily<T>> group_preserving_families();
COTANGENT_FOR_NUMBERS(COTANGENT_FUNCTIONS)

}  // namespace cotangent
