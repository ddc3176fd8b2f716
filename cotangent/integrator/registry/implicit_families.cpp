#include <fmt/format.h>

#include <functional>
#include <stdexcept>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/formulation/entries.hpp"
#include "cotangent/integrator/composed/projected.hpp"
#include "cotangent/integrator/composed/stage_multipliers.hpp"
#include "cotangent/integrator/constrained/constrained_gauss.hpp"
#include "cotangent/integrator/families.hpp"
#include "cotangent/integrator/field_scheme.hpp"
#include "cotangent/integrator/runge_kutta/discrete_gradient.hpp"
#include "cotangent/integrator/runge_kutta/implicit_rk.hpp"
#include "cotangent/integrator/scheme_method.hpp"

namespace cotangent {
namespace {

std::vector<std::string> numbered(const char* word, std::initializer_list<int> numbers) {
  std::vector<std::string> names;
  for (const int s : numbers) names.push_back(fmt::format("{}:{}", word, s));
  return names;
}

// What is behind a name: for one member of a family its facts, its coefficients when they are wanted, and its step on
// the constrained equations if it has one.
struct Member {
  MethodFacts facts;
  std::function<ImplicitTableau()> tableau;
  std::function<scheme::WriteStep()> direct = {};
};
using FindMember = Member (*)(const MethodName& name);

// In the order in which they are tried: charts where constraints are not part of the equations.
std::vector<std::string> direct_or_fields() {
  std::vector<std::string> names = field_formulations("state-space");
  names.insert(names.begin(), direct_facts().name);
  return names;
}

MethodFacts gauss_facts(int stages, const std::string& name) {
  return {.name = name,
          .kind = MethodKind::implicit_runge_kutta,
          .description = stages == 1
                             ? "the implicit midpoint rule, Gauss with one stage; constraints at both ends"
                             : fmt::format("Gauss collocation with {} stages; constraints at Lobatto nodes", stages),
          .order = 2 * stages,
          .symmetric = true,
          .symplectic = true,
          .keeps_quadratic = true,
          .keeps_position = true,
          .keeps_momentum = true,
          .has_solver = true,
          .formulations = direct_or_fields(),
          .applies_to = "every system; symplectic on direct and on Hamiltonian formulations, in charts within each",
          .reference = "jay07"};
}

// For stiff systems: nothing is claimed but the order.
MethodFacts stiff_facts(const std::string& name, const std::string& description, int order) {
  return {.name = name,
          .kind = MethodKind::implicit_runge_kutta,
          .description = description,
          .order = order,
          .has_solver = true,
          .formulations = field_formulations("standard"),
          .applies_to = "every system",
          .reference = "hairer-wanner96"};
}

// IIIA and IIIB.
MethodFacts symmetric_lobatto_facts(const char* kind, int stages, const std::string& name) {
  return {.name = name,
          .kind = MethodKind::implicit_runge_kutta,
          .description = fmt::format("Lobatto {} with {} stages", kind, stages),
          .order = 2 * stages - 2,
          .symmetric = true,
          .keeps_position = true,
          .keeps_momentum = true,
          .has_solver = true,
          .formulations = field_formulations("state-space"),
          .applies_to = "every system",
          .reference = "hlw06"};
}

Member gauss_member(int stages, const MethodName& name) {
  return {gauss_facts(stages, name.text()), [=] { return gauss_tableau(stages); },
          [=] { return constrained_gauss(stages); }};
}
Member implicit_midpoint(const MethodName& name) {
  expect_plain(name);
  return gauss_member(1, name);
}
Member gauss(const MethodName& name) { return gauss_member(only_integer(name, 1, 12), name); }
Member radau(const MethodName& name) {
  const int stages = only_integer(name, 1, 7);
  const std::string description = stages == 1 ? "the implicit Euler method, Radau IIA with one stage"
                                              : fmt::format("Radau IIA with {} stages, L-stable", stages);
  return {stiff_facts(name.text(), description, 2 * stages - 1), [=] { return radau_tableau(stages); }};
}
Member lobatto_iiia(const MethodName& name) {
  const int stages = only_integer(name, 2, 6);
  return {symmetric_lobatto_facts("IIIA", stages, name.text()), [=] { return lobatto_iiia_tableau(stages); }};
}
// With two stages it would be the implicit midpoint rule.
Member lobatto_iiib(const MethodName& name) {
  const int stages = only_integer(name, 3, 6);
  return {symmetric_lobatto_facts("IIIB", stages, name.text()), [=] { return lobatto_iiib_tableau(stages); }};
}
Member lobatto_iiic(const MethodName& name) {
  const int stages = only_integer(name, 2, 6);
  return {stiff_facts(name.text(), fmt::format("Lobatto IIIC with {} stages, L-stable", stages), 2 * stages - 2),
          [=] { return lobatto_iiic_tableau(stages); }};
}
Member sdirk4(const MethodName& name) {
  expect_plain(name);
  return {stiff_facts("sdirk4", "singly diagonally implicit, five stages, L-stable", 4), sdirk4_tableau};
}
Member kahan(const MethodName& name) {
  expect_plain(name);
  return {{.name = "kahan",
           .kind = MethodKind::implicit_runge_kutta,
           .description = "Kahan's method for quadratic fields",
           .order = 2,
           .symmetric = true,
           .has_solver = true,
           .formulations = field_formulations("standard"),
           .applies_to = "H of degree three in q and p, or equations of degree two; no constraints, no forces",
           .reference = "celledoni-mclachlan-owren-quispel13"},
          kahan_tableau};
}
// Six nodes are enough for rounding error at the usual steps.
Member average_field(const MethodName& name) {
  const bool is_plain = name.arguments.empty();
  if (is_plain) expect_plain(name);
  const int nodes = is_plain ? 6 : only_integer(name, 1, 12);
  return {{.name = name.text(),
           .kind = MethodKind::energy_keeping,
           .description = fmt::format("average vector field, quadrature with {} nodes", nodes),
           .order = 2,
           .symmetric = true,
           .keeps_position = true,
           .keeps_momentum = true,
           .has_solver = true,
           .formulations = field_formulations("state-space"),
           .applies_to = "every system; under state-space H of degree 2S is kept, others up to h^(2S+1)",
           .reference = "quispel-mclaren08"},
          [=] { return average_field_tableau(nodes); }};
}

template <class T>
void expect_quadratic_field(System<T>& system) {
  const auto refuse = [](const char* why) {
    throw std::invalid_argument(std::string("the method 'kahan' is for quadratic fields, but ") + why +
                                "; use 'implicit-midpoint' or 'avf'");
  };
  const Elements& elements = system.elements();
  if (elements.dynamics == Dynamics::equations) {
    const Contraction::Direction along{.q = false, .s = true};
    if (elements.depends_on(elements.rates, Space::t)) refuse("here the time changes it");
    if (!system.vanishes({.of = Contraction::Of::rate, .directions = {along, along, along}}))
      refuse("these equations are not polynomials of degree two");
    return;
  }
  if (system.m() > 0) refuse("this system has constraints");
  if (!system.elements().is_autonomous()) refuse("here the time changes it");
  if (system.state_count() > 0) refuse("this system has forces or states");
  const Contraction::Direction both{.p = true};
  for (const auto result : {Contraction::Result::gradient_q, Contraction::Result::gradient_p}) {
    const Contraction fourth{.directions = {both, both, both}, .result = result};
    if (!system.vanishes(fourth)) refuse("this H is not a polynomial of degree three in q and p");
  }
}

// The constrained equations have a step of their own; where there are no constraints they are a field.
template <class T>
std::unique_ptr<Integrator<T>> make_member(Member member, MethodRequest<T> request) {
  if (request.formulation == direct_facts().name) {
    if (request.manifold.system().m() > 0)
      return make_integrator(SchemeMethod{std::move(member.facts), member.direct()}, request.manifold, request.options);
    request.formulation = "standard";
  }
  return make_field_scheme(std::move(member.facts), implicit_runge_kutta(member.tableau()), request.manifold,
                           request.make_formulation(), request.options.solver);
}

template <class T, FindMember find>
MethodFamily<T> family(const std::string& pattern, std::vector<std::string> members, const char* order = "",
                       const char* description = "") {
  return {.word = pattern.substr(0, pattern.find_first_of("[:")),
          .pattern = pattern,
          .members = std::move(members),
          .facts = [](const MethodName& name) { return find(name).facts; },
          .make =
              [](const MethodName& name, const MethodRequest<T>& request) {
                if constexpr (find == kahan) expect_quadratic_field(request.manifold.system());
                return make_member(find(name), request);
              },
          .order = order,
          .description = description};
}

MethodFacts projected_midpoint_facts(const MethodName& name) {
  expect_no_inner(name);
  return {.name = name.text(),
          .kind = MethodKind::projected,
          .description = "the implicit midpoint rule at a stage that is projected, and projected after the step",
          .order = 2,
          .keeps_position = true,
          .keeps_momentum = true,
          .has_solver = true,
          .formulations = {"standard", "equations"},
          .applies_to = "systems with constraints, equations with declared invariants",
          .reference = "ascher-petzold91"};
}

/// The projected implicit midpoint rule: with the rows c of constraints and invariants, C = c' and N as in
/// normal_rows.hpp,
///
///   Y = z + h/2 f(Y) - N C(Y)' l,           c(Y) = 0    (stage_projected.cpp)
///   Z = z + h f(Y) - 2 N C(Y)' l - N C(Z)' m,   c(Z) = 0    (stage_multipliers.hpp, orthogonal_projection.hpp)
///
/// Reference: [ascher-petzold91].
template <class T>
MethodFamily<T> projected_midpoint() {
  return {
      .word = "projected-midpoint",
      .pattern = "projected-midpoint[:NAMES]",
      .members = {"projected-midpoint"},
      .facts = projected_midpoint_facts,
      .make = [](const MethodName& name, const MethodRequest<T>& request) {
        const Elements& elements = request.manifold.system().elements();
        const ProjectionPolicy policy =
            with_declared({.projection = Projection::joint, .invariants = name.arguments}, elements);
        if (!policy.is_active(elements.m))
          throw std::invalid_argument(
              fmt::format("the method '{}' projects to constraints, and equations to declared invariants, but here "
                          "are none; use 'implicit-midpoint' itself",
                          name.text()));
        FormulationOptions options = request.formulation_options;
        options.stage_projection = policy.metric;
        options.stage_invariants = policy.invariants;
        MethodFacts facts = projected_midpoint_facts(name);
        facts.keeps_invariants = policy.invariants;
        auto midpoint = make_member(implicit_midpoint(parse_method_name("implicit-midpoint")),
                                    MethodRequest<T>{request.manifold, request.formulation, options, request.options});
        auto with_multipliers = std::make_unique<StageMultipliers<T>>(std::move(midpoint), request.manifold, policy);
        return std::make_unique<Projected<T>>(std::move(facts), request.manifold, policy, std::move(with_multipliers));
      }};
}

MethodFacts discrete_gradients_facts(const MethodName& name) {
  expect_no_inner(name);
  return {.name = name.text(),
          .kind = MethodKind::energy_keeping,
          .description = "the implicit midpoint rule along midpoint discrete gradients, for several invariants",
          .order = 2,
          .symmetric = true,
          .has_solver = true,
          .formulations = {"standard", "equations"},
          .applies_to = "declared invariants, no constraints",
          .reference = "mclachlan-quispel-robidoux99"};
}

// See discrete_gradients.cpp.
template <class T>
MethodFamily<T> discrete_gradients() {
  return {.word = "discrete-gradient",
          .pattern = "discrete-gradient[:NAMES]",
          .members = {"discrete-gradient"},
          .facts = discrete_gradients_facts,
          .make = [](const MethodName& name, const MethodRequest<T>& request) {
            const Elements& elements = request.manifold.system().elements();
            const auto refuse = [&](const char* why) {
              throw std::invalid_argument(fmt::format("the method '{}' {}", name.text(), why));
            };
            MethodFacts facts = discrete_gradients_facts(name);
            facts.keeps_invariants = name.arguments.empty() ? declared_invariants(elements) : name.arguments;
            if (elements.m > 0) refuse("takes no constraints; use 'projected-midpoint'");
            if (facts.keeps_invariants.empty())
              refuse(
                  "keeps declared invariants, and here are none; declare them in [invariants], or use 'gonzalez' for "
                  "the energy");
            auto field = with_discrete_gradients(request.manifold, facts.keeps_invariants, request.make_formulation());
            return make_field_scheme(std::move(facts), implicit_runge_kutta(gauss_tableau(1)), request.manifold,
                                     std::move(field), request.options.solver);
          }};
}

template <class T>
MethodFamily<T> gonzalez() {
  return {.word = "gonzalez",
          .pattern = "gonzalez",
          .members = {"gonzalez"},
          .facts =
              [](const MethodName& name) {
                expect_plain(name);
                return discrete_gradient_facts();
              },
          .make =
              [](const MethodName&, const MethodRequest<T>& request) {
                auto made = request.make_formulation();
                expect_conserved_energy(structure_of(request.manifold), made->facts().hamiltonian);
                return make_field_scheme(discrete_gradient_facts(), discrete_gradient, request.manifold,
                                         std::move(made), request.options.solver);
              }};
}

}  // namespace

template <class T>
std::vector<MethodFamily<T>> implicit_families() {
  return {family<T, implicit_midpoint>("implicit-midpoint", {"implicit-midpoint"}),
          family<T, gauss>("gauss:1..12", numbered("gauss", {2, 3, 4, 6}), "2..24",
                           "Gauss collocation with S stages; constraints at Lobatto nodes"),
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
          gonzalez<T>(),
          discrete_gradients<T>()};
}

template <class T>
std::vector<MethodFamily<T>> projected_midpoint_family() {
  return {projected_midpoint<T>()};
}

#define COTANGENT_FUNCTIONS(T)                               \
  template std::vector<MethodFamily<T>> implicit_families(); \
  template std::vector<MethodFamily<T>> projected_midpoint_family();
COTANGENT_FOR_NUMBERS(COTANGENT_FUNCTIONS)

}  // namespace cotangent
