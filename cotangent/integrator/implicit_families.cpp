#include "cotangent/integrator/implicit_families.hpp"

#include <fmt/format.h>

#include <functional>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/integrator/average_field.hpp"
#include "cotangent/integrator/discrete_gradient.hpp"
#include "cotangent/integrator/field_scheme.hpp"
#include "cotangent/integrator/gauss.hpp"
#include "cotangent/integrator/kahan.hpp"
#include "cotangent/integrator/lobatto_tableau.hpp"
#include "cotangent/integrator/radau.hpp"
#include "cotangent/integrator/sdirk.hpp"

namespace cotangent {
namespace {

std::vector<std::string> numbered(const char* word, std::initializer_list<int> numbers) {
  std::vector<std::string> names;
  for (const int s : numbers) names.push_back(fmt::format("{}:{}", word, s));
  return names;
}

// What is behind a name: for one member of a family its facts, and its coefficients when they are wanted.
struct Member {
  MethodFacts facts;
  std::function<ImplicitTableau()> tableau;
};
using FindMember = Member (*)(const MethodName& name);

Member implicit_midpoint(const MethodName& name) {
  expect_plain(name);
  return {gauss_facts(1, name.text()), [=] { return gauss_tableau(1); }};
}
Member gauss(const MethodName& name) {
  const int stages = only_integer(name, 1, 12);
  return {gauss_facts(stages, name.text()), [=] { return gauss_tableau(stages); }};
}
Member radau(const MethodName& name) {
  const int stages = only_integer(name, 1, 7);
  return {radau_facts(stages, name.text()), [=] { return radau_tableau(stages); }};
}
Member lobatto_iiia(const MethodName& name) {
  const int stages = only_integer(name, 2, 6);
  return {lobatto_facts("IIIA", stages, name.text()), [=] { return lobatto_iiia_tableau(stages); }};
}
// With two stages it would be the implicit midpoint rule.
Member lobatto_iiib(const MethodName& name) {
  const int stages = only_integer(name, 3, 6);
  return {lobatto_facts("IIIB", stages, name.text()), [=] { return lobatto_iiib_tableau(stages); }};
}
Member lobatto_iiic(const MethodName& name) {
  const int stages = only_integer(name, 2, 6);
  return {lobatto_facts("IIIC", stages, name.text()), [=] { return lobatto_iiic_tableau(stages); }};
}
Member sdirk4(const MethodName& name) {
  expect_plain(name);
  return {sdirk4_facts(), [=] { return sdirk4_tableau(); }};
}
Member kahan(const MethodName& name) {
  expect_plain(name);
  return {kahan_facts(), [=] { return kahan_tableau(); }};
}
Member average_field(const MethodName& name) {
  const int nodes = name.arguments.empty() ? kAverageFieldNodes : only_integer(name, 1, 12);
  if (name.arguments.empty()) expect_plain(name);
  return {average_field_facts(nodes, name.text()), [=] { return average_field_tableau(nodes); }};
}

MethodFacts gonzalez_facts(const MethodName& name) {
  expect_plain(name);
  return discrete_gradient_facts();
}

template <class T, FindMember find>
std::unique_ptr<Integrator<T>> make_member(const MethodName& name, Manifold<T>& manifold, std::string_view formulation,
                                           const FormulationOptions& options, const MethodOptions& method_options) {
  if constexpr (find == kahan) expect_quadratic_field(manifold.system());
  Member member = find(name);
  return make_field_scheme(std::move(member.facts), implicit_runge_kutta(member.tableau()), manifold,
                           find_formulation<T>(formulation).make(manifold, options), method_options.solver);
}

template <class T>
std::unique_ptr<Integrator<T>> make_gonzalez(const MethodName&, Manifold<T>& manifold, std::string_view formulation,
                                             const FormulationOptions& options, const MethodOptions& method_options) {
  auto made = find_formulation<T>(formulation).make(manifold, options);
  expect_conserved_energy(structure_of(manifold), made->facts().hamiltonian);
  return make_field_scheme(discrete_gradient_facts(), discrete_gradient, manifold, std::move(made),
                           method_options.solver);
}

template <class T, FindMember find>
MethodFamily<T> family(const char* pattern, std::vector<std::string> members, const char* order = "",
                       const char* description = "") {
  const std::string text(pattern);
  return {.word = text.substr(0, text.find_first_of("[:")),
          .pattern = text,
          .members = std::move(members),
          .facts = [](const MethodName& name) { return find(name).facts; },
          .make = make_member<T, find>,
          .order = order,
          .description = description};
}

}  // namespace

template <class T>
std::vector<MethodFamily<T>> implicit_families() {
  return {family<T, implicit_midpoint>("implicit-midpoint", {"implicit-midpoint"}),
          family<T, gauss>("gauss:1..12", numbered("gauss", {2, 3, 4, 6}), "2..24", "Gauss collocation with S stages"),
          family<T, radau>("radau-iia:1..7", numbered("radau-iia", {2, 3, 5}), "1..13",
                           "Radau IIA with S stages, L-stable"),
          family<T, lobatto_iiia>("lobatto-iiia:2..6", numbered("lobatto-iiia", {2, 3, 4, 6}), "2..10",
                                  "Lobatto IIIA with S stages"),
          family<T, lobatto_iiib>("lobatto-iiib:3..6", numbered("lobatto-iiib", {3, 4, 6}), "4..10",
                                  "Lobatto IIIB with S stages"),
          family<T, lobatto_iiic>("lobatto-iiic:2..6", numbered("lobatto-iiic", {2, 3, 4, 6}), "2..10",
                                  "Lobatto IIIC with S stages, L-stable"),
          family<T, sdirk4>("sdirk4", {"sdirk4"}),
          family<T, kahan>("kahan", {"kahan"}),
          family<T, average_field>("avf[:1..12]", {"avf"}, "2", "average vector field, quadrature with S nodes (6)"),
          {.word = "gonzalez",
           .pattern = "gonzalez",
           .members = {"gonzalez"},
           .facts = gonzalez_facts,
           .make = make_gonzalez<T>,
           .order = "",
           .description = ""}};
}

#define COTANGENT_FUNCTIONS(T) template std::vector<MethodFamily<T>> implicit_families();
COTANGENT_FOR_NUMBERS(COTANGENT_FUNCTIONS)

}  // namespace cotangent
