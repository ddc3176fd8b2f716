#include "cotangent/integrator/composed/projected.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <stdexcept>
#include <vector>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/base/suggest.hpp"
#include "cotangent/base/unknown_name.hpp"
#include "cotangent/integrator/composed/relaxed.hpp"
#include "cotangent/integrator/families.hpp"
#include "cotangent/integrator/registry/registry.hpp"
#include "cotangent/integrator/take_lanes.hpp"

namespace cotangent {

Projection default_projection(const MethodFacts& facts, std::int64_t constraints) {
  const bool keeps = facts.keeps_position && facts.keeps_momentum;
  return keeps || constraints == 0 ? Projection::none : Projection::both;
}

std::string projected_name(const ProjectionPolicy& policy, const std::string& method) {
  std::string name = "project:" + name_of(policy.projection);
  if (policy.metric != Metric::mass) name += ":" + name_of(policy.metric);
  if (policy.every != 1) name += fmt::format(":every={}", policy.every);
  if (policy.above) name += fmt::format(":above={}", *policy.above);
  for (const std::string& invariant : policy.invariants) name += ":" + invariant;
  return name + "(" + method + ")";
}

ProjectionPolicy with_declared(ProjectionPolicy policy, const Elements& elements) {
  const bool is_meant = elements.dynamics == Dynamics::equations || policy.projection == Projection::scaling ||
                        policy.projection == Projection::relaxation;
  if (is_meant && policy.projection != Projection::none && policy.invariants.empty())
    policy.invariants = declared_invariants(elements);
  return policy;
}

namespace {

MethodFacts projected_facts(const std::string& name, const ProjectionPolicy& policy, const MethodFacts& method) {
  MethodFacts facts = method;
  facts.name = name;
  facts.kind = MethodKind::projected;
  std::vector<std::string> parts;
  if (policy.projection != Projection::none) parts.push_back("the projection '" + name_of(policy.projection) + "'");
  if (!policy.invariants.empty()) parts.push_back(fmt::format("a return to {}", fmt::join(policy.invariants, ", ")));
  facts.symmetric = facts.symplectic = facts.symplectic_off = facts.keeps_quadratic = false;
  const bool always = policy.is_exact();
  facts.keeps_invariants = always ? policy.invariants : std::vector<std::string>();
  const auto& kept = facts.keeps_invariants;
  facts.keeps_energy = std::find(kept.begin(), kept.end(), "energy") != kept.end();
  const bool scales = policy.projection == Projection::scaling;
  facts.has_sets = facts.has_sets || scales;
  facts.description = fmt::format("{}, then {}", method.name, fmt::join(parts, " with "));
  const bool moves_q = policy.projection != Projection::momentum;
  facts.keeps_position = policy.to_position() ? always || method.keeps_position : !moves_q && method.keeps_position;
  facts.keeps_momentum = policy.to_momentum() && (always || method.keeps_momentum);
  facts.moves_time = method.moves_time || policy.projection == Projection::relaxation;
  facts.applies_to = scales                      ? "declared invariants, no constraints"
                     : policy.invariants.empty() ? "systems with constraints, equations with declared invariants"
                                                 : "systems with these invariants";
  facts.reference = policy.projection == Projection::relaxation  ? "ketcheson19"
                    : policy.projection == Projection::stabilise ? "ascher97"
                    : scales                                     ? "liu06"
                                                                 : "hlw06";
  return facts;
}

// A method followed by what a policy does.
template <class T>
std::unique_ptr<Integrator<T>> followed(MethodFacts facts, Manifold<T>& manifold, const ProjectionPolicy& policy,
                                        std::unique_ptr<Integrator<T>> method) {
  if (policy.projection == Projection::relaxation)
    return std::make_unique<Relaxed<T>>(std::move(facts), manifold, policy, std::move(method));
  return std::make_unique<Projected<T>>(std::move(facts), manifold, policy, std::move(method));
}

template <class N>
bool read_whole(const std::string& text, N& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

ProjectionPolicy policy_of(const MethodName& name) {
  const auto refuse = [&](const std::string& why) {
    throw std::invalid_argument(fmt::format("there is no method '{}': {}", name.text(), why));
  };
  if (name.arguments.empty()) refuse("say what is projected, as in project:both(rk4)");
  const std::string& kind = name.arguments.front();
  if (kind == name_of(Projection::stage)) refuse("the projection of stages is no part of the name of a method");
  if (kind == name_of(Projection::symmetric)) refuse(fmt::format("that is symmetric({})", expect_inner(name).text()));
  std::vector<std::string> after_steps;
  for (const ProjectionFacts& facts : projections())
    if (facts.projection != Projection::stage && facts.projection != Projection::symmetric)
      after_steps.push_back(facts.name);
  expect_name("projection after steps", kind, after_steps);
  ProjectionPolicy policy{.projection = find_projection(kind)};
  for (std::size_t k = 1; k < name.arguments.size(); ++k) {
    const std::string& word = name.arguments[k];
    const std::string metric = lower_case(word);
    if (k == 1 && (metric == name_of(Metric::mass) || metric == name_of(Metric::euclidean))) {
      policy.metric = find_metric(metric);
    } else if (const auto equals = word.find('='); equals == word.npos) {
      policy.invariants.push_back(word);
    } else {
      const std::string key = word.substr(0, equals), value = word.substr(equals + 1);
      const bool is_read = (key == "every" && read_whole(value, policy.every)) ||
                           (key == "above" && read_whole(value, policy.above.emplace()));
      if (!is_read) refuse(fmt::format("'{}' is neither every=K, with an integer K, nor above=EPS", word));
    }
  }
  if (policy.projection == Projection::none && policy.invariants.empty())
    refuse("nothing is projected: name an invariant, as in project:none:energy(rk4)");
  return policy;
}

// Formulations that a step may leave the constraints in; the first is the default.
std::vector<std::string> formulations_to_project(const MethodFacts& method, const ProjectionPolicy& policy) {
  if (!policy.invariants.empty() || policy.projection == Projection::scaling) return method.formulations;
  std::vector<std::string> names;
  for (const std::string& name : method.formulations) {
    const bool is_direct = name == direct_facts().name;
    const FormulationFacts field = is_direct ? FormulationFacts() : find_formulation<double>(name).facts;
    const bool keeps =
        is_direct ? method.keeps_position && method.keeps_momentum : field.on_position && field.on_momentum;
    if (!keeps) names.push_back(name);
  }
  return names;
}

MethodFacts facts_of(const MethodName& name) {
  MethodFacts method = find_method<double>(expect_inner(name).text()).facts;
  const ProjectionPolicy policy = policy_of(name);
  method.formulations = formulations_to_project(method, policy);
  if (method.formulations.empty())
    throw std::invalid_argument(
        fmt::format("'{}' is not made: '{}' does not leave the manifold; use it as it is", name.text(), method.name));
  return projected_facts(name.text(), policy, method);
}

// What stands in the place of a metric, and is neither that nor an invariant, may have been meant as one.
void expect_no_metric(const MethodName& name, const ProjectionPolicy& policy, const Elements& elements) {
  if (policy.invariants.empty() || policy.invariants.front() != name.arguments[1]) return;
  const std::string& word = name.arguments[1];
  for (const NamedRows& named : elements.invariant_rows)
    if (named.name == word) return;
  const std::vector<std::string> metrics{name_of(Metric::mass), name_of(Metric::euclidean)};
  std::string meant = closest_name(word, metrics);
  for (const std::string& metric : metrics)
    if (metric.starts_with(lower_case(word))) meant = metric;
  if (!meant.empty())
    throw std::invalid_argument(
        fmt::format("there is no method '{}': '{}' is neither a metric nor an invariant; did you mean '{}'?",
                    name.text(), word, meant));
}

template <class T>
std::unique_ptr<Integrator<T>> make_of(const MethodName& name, const MethodRequest<T>& request) {
  auto method = find_method<T>(expect_inner(name).text()).make(request);
  ProjectionPolicy policy = with_declared(policy_of(name), request.manifold.system().elements());
  policy.sets = request.options.sets;
  expect_no_metric(name, policy, request.manifold.system().elements());
  MethodFacts facts = projected_facts(name.text(), policy, method->facts());
  facts.formulations = facts_of(name).formulations;
  return followed(std::move(facts), request.manifold, policy, std::move(method));
}

}  // namespace

template <class T>
Projected<T>::Projected(MethodFacts facts, Manifold<T>& manifold, const ProjectionPolicy& policy,
                        std::unique_ptr<Integrator<T>> method)
    : Integrator<T>(std::move(facts)),
      method_(std::move(method)),
      projector_(manifold, policy),
      place_(method_->trajectory_size()) {
  if (!projector_.is_active())
    throw std::invalid_argument(
        fmt::format("the method '{}' projects to constraints, but here are none, nor declared invariants; use '{}' "
                    "itself",
                    this->facts().name, method_->facts().name));
}

template <class T>
typename Integrator<T>::TrajectorySize Projected<T>::trajectory_size() const {
  return {place_.numbers + projector_.target_count(), place_.counts + 1};
}

template <class T>
void Projected<T>::begin(Point<T>& z) {
  method_->begin(z);
  auto& [numbers, counts] = z.trajectory();
  numbers.resize(place_.numbers);
  counts.resize(place_.counts);
  projector_.start(z);
  numbers.insert(numbers.end(), projector_.targets().begin(), projector_.targets().end());
  counts.push_back(0);
  // What is compiled when it is first used belongs to the set-up.
  PhasePoint<T> rehearsed = z;
  static_cast<void>(projector_.project(rehearsed));
}

template <class T>
ProjectionReport<T> Projected<T>::project(Point<T>& z, LaneOf<T> h, const Mask<T>& lanes) {
  auto& [numbers, counts] = z.trajectory();
  std::int64_t& steps = counts[place_.counts];
  const std::int64_t number = h < 0 ? steps-- : ++steps;
  if (!any(lanes)) return {};
  const auto targets = projector_.targets();
  std::copy_n(numbers.begin() + static_cast<std::ptrdiff_t>(place_.numbers), targets.size(), targets.begin());
  projector_.set_step(h);
  PhasePoint<T>& Z = z.adjust();
  const ProjectionReport<T> report = projector_.after_step(Z, number, lanes);
  if (any(report.projected) && report.iterations > 0) z.forget();
  if (tally_ && any(report.projected)) {
    tally_->add(Displacement<T>::between(projector_.before(), Z), report.projected);
    projector_.add_scaling(static_cast<double>(Z.t), tally_->scaling);
  }
  return report;
}

template <class T>
StepReport<T> Projected<T>::make_step(const Point<T>& z, LaneOf<T> h, Point<T>& end) {
  if (z.trajectory().counts.size() <= place_.counts) {
    first_ = z;
    begin(first_);
    return make_step(first_, h, end);
  }
  StepReport<T> report = method_->step(z, h, end);
  if (!any(report.ok)) return report;
  const ProjectionReport<T> projection = project(end, h, report.ok & !(report.error > T(1)));
  report.iterations += projection.iterations;
  if (any(report.ok & !projection.ok)) {
    report.status = projection.status;
    report.residual = projection.residual;
    report.tolerance = projection.tolerance;
    report.row = projection.row;
    report.in_projection = true;
    report.ok = report.ok & projection.ok;
  }
  // Lanes whose step failed were not to be projected either.
  if (!all(report.ok)) take_lanes(!report.ok, z.state(), end.change());
  return report;
}

template <class T>
std::unique_ptr<Integrator<T>> with_projection(std::unique_ptr<Integrator<T>> method, Manifold<T>& manifold,
                                               const ProjectionPolicy& policy) {
  if (!policy.is_active(manifold.system().m())) return method;
  MethodFacts facts = projected_facts(projected_name(policy, method->facts().name), policy, method->facts());
  return followed(std::move(facts), manifold, policy, std::move(method));
}

template <class T>
std::vector<MethodFamily<T>> projected_family() {
  return {{.word = "project",
           .pattern = "project:KIND(M)",
           .members = {"project:both(rk4)", "project:joint(implicit-midpoint)"},
           .facts = facts_of,
           .make = make_of<T>,
           .order = "of M",
           .description = "a step of M, then a projection: KIND is position, momentum, both, joint, stabilise, "
                          "relaxation, scaling or none; with a "
                          "metric, invariants to return to, every=K and above=EPS: project:both:every=10:energy(M)"}};
}

COTANGENT_INSTANTIATE(NUMBERS, Projected);

#define COTANGENT_FUNCTIONS(T)                                                                          \
  template std::vector<MethodFamily<T>> projected_family();                                             \
  template std::unique_ptr<Integrator<T>> with_projection(std::unique_ptr<Integrator<T>>, Manifold<T>&, \
                                                          const ProjectionPolicy&);
COTANGENT_FOR_NUMBERS(COTANGENT_FUNCTIONS)

}  // namespace cotangent
