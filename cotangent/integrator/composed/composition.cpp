#include "cotangent/integrator/composed/composition.hpp"

#include <fmt/format.h>

#include <charconv>
#include <stdexcept>
#include <utility>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/integrator/families.hpp"
#include "cotangent/integrator/registry/registry.hpp"
#include "cotangent/integrator/take_lanes.hpp"

namespace cotangent {
namespace {

MethodFacts composition_facts(const std::string& name, const CompositionTable& table, const MethodFacts& method) {
  MethodFacts facts = method;
  facts.name = name;
  facts.kind = MethodKind::composition;
  facts.description = fmt::format("{} steps of {}, coefficients '{}'", table.gamma.size(), method.name, table.name);
  facts.order = table.order;
  facts.error_order = 0;
  facts.reference = table.reference;
  return facts;
}

// The order in compose:6(rattle) and compose:6:kahan-li(rattle).
int order_of(const MethodName& name) {
  int order = 0;
  if (!name.arguments.empty() && name.arguments.size() <= 2) {
    const std::string& text = name.arguments.front();
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), order);
    if (error == std::errc() && end == text.data() + text.size()) return order;
  }
  throw std::invalid_argument(
      fmt::format("there is no method '{}': '{}' takes an order and, if one is to be chosen, the name of its "
                  "coefficients, as in compose:6(rattle) or compose:6:kahan-li(rattle)",
                  name.text(), name.word));
}

void expect_symmetric(const MethodName& name, const MethodFacts& method) {
  if (!method.symmetric)
    throw std::invalid_argument(fmt::format(
        "'{}' is not made: '{}' is not symmetric, and of others compositions do not raise the order by these "
        "coefficients; symmetric are rattle, implicit-midpoint, gauss:S, stormer-verlet, among others",
        name.text(), method.name));
}

// The coefficients that a name stands for, given the method that it is made of.
using TableOf = CompositionTable (*)(const MethodName& name, const MethodFacts& method);

CompositionTable composed(const MethodName& name, const MethodFacts& method) {
  const int order = order_of(name);
  try {
    return find_composition(order, method.order, name.arguments.size() > 1 ? name.arguments[1] : "");
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(fmt::format("there is no method '{}': {}", name.text(), error.what()));
  }
}

CompositionTable triple_jump(const MethodName& name, const MethodFacts& method) {
  if (!name.arguments.empty())
    throw std::invalid_argument(fmt::format(
        "there is no method '{}': '{}' takes no arguments but the method in parentheses", name.text(), name.word));
  return {.name = "triple-jump",
          .order = method.order + 2,
          .gamma = steps_around_one_back(1, method.order),
          .reference = "creutz-gocksch89"};
}

template <TableOf table>
MethodFacts facts_of(const MethodName& name) {
  const MethodFacts method = find_method<double>(expect_inner(name).text()).facts;
  expect_symmetric(name, method);
  return composition_facts(name.text(), table(name, method), method);
}

template <class T, TableOf table>
std::unique_ptr<Integrator<T>> make_of(const MethodName& name, const MethodRequest<T>& request) {
  auto method = find_method<T>(expect_inner(name).text()).make(request);
  if (const MethodFacts& facts = method->facts(); !facts.symmetric)
    throw std::invalid_argument(fmt::format("'{}' is not made: '{}' is not symmetric on the formulation '{}'",
                                            name.text(), facts.name, request.formulation));
  const CompositionTable coefficients = table(name, method->facts());
  return std::make_unique<Composition<T>>(composition_facts(name.text(), coefficients, method->facts()), coefficients,
                                          std::move(method));
}

}  // namespace

template <class T>
Composition<T>::Composition(MethodFacts facts, const CompositionTable& table, std::unique_ptr<Integrator<T>> method)
    : Integrator<T>(std::move(facts)), method_(std::move(method)) {
  for (const Quad& exact : table.gamma) {
    const auto gamma = static_cast<LaneOf<T>>(exact);
    if (!runs_.empty() && runs_.back().gamma == gamma) {
      ++runs_.back().count;
    } else {
      runs_.push_back({gamma, 1});
    }
  }
}

template <class T>
StepReport<T> Composition<T>::make_step(const Point<T>& z, LaneOf<T> h, Point<T>& end) {
  if (is_held_) return parts(z, h, end);
  method_->hold_chart(z);
  const StepReport<T> report = step_in_right_chart<T>([&] { return parts(z, h, end); },
                                                      [&](const StepReport<T>& made) {
                                                        return any(made.ok) ? method_->held_right_chart(z, end)
                                                                            : !method_->held_another_chart(z, h);
                                                      });
  method_->release_chart();
  return report;
}

// All parts of a step.
template <class T>
StepReport<T> Composition<T>::parts(const Point<T>& z, LaneOf<T> h, Point<T>& end) {
  StepReport<T> report;
  end = z;
  for (const Run& run : runs_) {
    // A run ends early where a lane fails; the other lanes go on.
    for (std::int64_t left = run.count; left > 0;) {
      std::int64_t done = 0;
      const StepReport<T> part = method_->advance(end, run.gamma * h, left, done);
      add_work(part, report);
      left -= done;
      if (part.status == StepStatus::ok) continue;
      --left;
      if (any(report.ok & !part.ok)) {
        report.status = part.status;
        report.residual = part.residual;
        report.tolerance = part.tolerance;
        report.row = part.row;
      }
      report.ok = report.ok & part.ok;
      if (!any(report.ok)) return report;
    }
  }
  PhasePoint<T>& Z = end.adjust();
  Z.t = z->t;
  Z.t_low = z->t_low;
  Z.advance_time(h);
  // Lanes that did not get through stay where they began. What is known belongs to where they were last.
  if (!all(report.ok)) take_lanes(!report.ok, z.state(), end.change());
  return report;
}

template <class T>
std::vector<MethodFamily<T>> composition_families() {
  return {{.word = "triple-jump",
           .pattern = "triple-jump(M)",
           .members = {"triple-jump(rattle)"},
           .facts = facts_of<triple_jump>,
           .make = make_of<T, triple_jump>,
           .order = "M + 2",
           .description = "three steps of a symmetric method M, the middle one back"},
          {.word = "compose",
           .pattern = "compose:4|6|8|10(M)",
           .members = {"compose:4(rattle)", "compose:6(rattle)", "compose:8(rattle)", "compose:10(rattle)",
                       "compose:4(implicit-midpoint)"},
           .facts = facts_of<composed>,
           .make = make_of<T, composed>,
           .order = "4..10",
           .description = "steps of a symmetric method M that add up to one of higher order; with coefficients by "
                          "name: compose:6:kahan-li(M)"}};
}

COTANGENT_INSTANTIATE(NUMBERS, Composition);
#define COTANGENT_FUNCTIONS(T) template std::vector<MethodFamily<T>> composition_families();
COTANGENT_FOR_NUMBERS(COTANGENT_FUNCTIONS)

}  // namespace cotangent
