#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <ostream>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "cotangent/integrator/registry/registry.hpp"
#include "tests/support/equations.hpp"
#include "tests/support/instance.hpp"

// What the files that measure the claims of every method of the registry have in common.

namespace cotangent::test {

inline Backend fastest() { return has_jit() ? Backend::jit : Backend::interpreter; }

template <class T>
bool is_ok(const StepReport<T>& report) {
  return report.status == StepStatus::ok && all(report.ok);
}

/// A method made for a problem, under its default formulation or another one.
template <class T>
struct MethodRunner {
  MethodRunner(const std::string& method, const Problem& problem, Backend backend = Backend::interpreter,
               const std::string& formulation = "", const FormulationOptions& options = {})
      : instance(problem, backend), integrator(find_method<T>(method).make(instance.manifold, formulation, options)) {}

  StepReport<T> step(Point<T>& z, LaneOf<T> h) { return integrator->step(z, h); }
  Instance<T> instance;
  std::unique_ptr<Integrator<T>> integrator;
};

/// A step of a method, long enough for its error to be told from rounding; and that error, roughly.
struct VisibleStep {
  Quad h, error;
};

/// From 0.05 on: methods of high order need longer steps. What a method does not keep is of the size of the error, or
/// of some power of h times that; what it keeps, to the last digits of a Quad, is 1e-30.
inline VisibleStep visible_step(MethodRunner<Quad>& s, const Problem& problem) {
  VisibleStep found{0, 0};
  for (auto h = static_cast<Quad>(0.05); h < 1; h *= 2) {
    auto whole = start<Quad>(problem), halves = whole;
    if (!is_ok(s.step(whole, h)) || !is_ok(s.step(halves, h / 2)) || !is_ok(s.step(halves, h / 2))) break;
    found = {h, distance(whole, halves)};
    if (found.error > static_cast<Quad>(1e-12)) break;
  }
  return found;
}

/// Whether a method takes a problem, by the words of its fact sheet.
inline bool applies(const MethodFacts& facts, const Problem& problem) {
  const auto& names = facts.formulations;
  if (!problem.is_mechanical && std::find(names.begin(), names.end(), "equations") == names.end()) return false;
  if (problem.is_mechanical && names == std::vector<std::string>{"equations"}) return false;
  const auto says = [&](std::string_view words) { return facts.applies_to.find(words) != std::string::npos; };
  if (says("no constraints") && problem.text.find("[constraints]") != std::string::npos) return false;
  const bool declares = problem.text.find("[invariants]") != std::string::npos;
  if (says("declared invariants, no constraints") && !declares) return false;
  if (says("with constraints") && problem.is_mechanical && problem.text.find("[constraints]") == std::string::npos)
    return false;
  if (says("with constraints") && !problem.is_mechanical && !(declares && says("equations with declared")))
    return false;
  if (says("one invariant") && !problem.name.starts_with("lotka_volterra")) return false;  // the others have more
  if (says("degree three") && !problem.cubic) return false;
  if (says("H = p'Wp/2 + V(q)") && !problem.diagonal_mass) return false;
  return problem.separable || !(says("H = T(p) + V(q)") || says("H = p'Wp/2 + V(q)"));
}

/// A method on a problem.
struct MethodCase {
  std::string method;
  Problem problem;
  bool is_first = true;  ///< of its kind: it is measured thoroughly
};

inline void PrintTo(const MethodCase& each, std::ostream* out) { *out << each.method << " on " << each.problem.name; }

/// The first method of every kind.
inline std::set<std::string> first_methods() {
  std::set<MethodKind> kinds;
  std::set<std::string> names;
  for (const auto& method : methods<double>())
    if (kinds.insert(method.facts.kind).second) names.insert(method.facts.name);
  return names;
}

/// The first method of every kind on all problems, the others on a few: coupled constraints between unequal masses, a
/// metric that depends on q, kinetic energy that is not quadratic, no constraint at all; a quadratic field with
/// families, second-order equations, a field that the time changes.
inline std::vector<MethodCase> method_cases() {
  const std::set<std::string> few{"double_pendulum", "spherical_metric", "relativistic", "free", "toda",
                                  "kepler",          "driven_rotation"};
  const std::set<std::string> first = first_methods();
  std::vector<MethodCase> cases;
  for (const auto& method : methods<double>()) {
    const bool is_first = first.count(method.facts.name) > 0;
    for (const auto* list : {&problems(), &equations()})
      for (const Problem& problem : *list)
        if (applies(method.facts, problem) && (is_first || few.count(problem.name) > 0))
          cases.push_back({method.facts.name, problem, is_first});
  }
  return cases;
}

inline std::string method_case_name(const testing::TestParamInfo<MethodCase>& each) {
  std::string name = each.param.method + "_on_" + each.param.problem.name;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
  return name;
}

class MethodTest : public testing::TestWithParam<MethodCase> {
 protected:
  template <class T>
  MethodRunner<T> runner(Backend backend = Backend::interpreter) const {
    return MethodRunner<T>(method, problem, backend);
  }

  const std::string& method = GetParam().method;
  const Problem& problem = GetParam().problem;
  const MethodFacts facts = find_method<double>(method).facts;
};

}  // namespace cotangent::test
