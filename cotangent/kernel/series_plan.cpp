#include "cotangent/kernel/series_plan.hpp"

#include <fmt/format.h>

#include <iterator>

namespace cotangent {

int SeriesTable::of_kernel(const SeriesPlan& plan, std::size_t kernel) {
  std::size_t word = static_cast<std::size_t>(of_vector(plan.vectors));
  for (std::size_t k = 0; k < kernel; ++k) {
    const JetPlan& each = *plan.kernels[k].plan;
    word += 3 + 2 * (each.loads.size() + each.counters.size() + each.stores.size());
  }
  return static_cast<int>(word);
}

std::string SeriesPlan::code_key() const {
  std::string key = fmt::format("series {} {};", orders, vectors);
  const auto to = std::back_inserter(key);
  for (const Kernel& kernel : kernels) {
    const JetPlan& plan = *kernel.plan;
    // Few instances are written out; of many the code does not know how many there are.
    fmt::format_to(to, "kernel {} {} {} {};", plan.row, plan.is_written_out() ? plan.count : -1, plan.is_in_vectors(),
                   plan.stores_again);
    const auto add_map = [&](const IndexMap& at) {
      fmt::format_to(to, "{},", static_cast<int>(at.kind()));
      if (plan.is_written_out())
        for (std::int64_t i = 0; i < plan.count; ++i) fmt::format_to(to, "{},", at(i));
    };
    for (const auto& load : plan.loads) {
      fmt::format_to(to, "l{},", kernel.in[static_cast<std::size_t>(load.vector)]);
      add_map(load.at);
    }
    for (const auto& at : plan.counters) add_map(at);
    for (std::size_t s = 0; s < plan.stores.size(); ++s) {
      fmt::format_to(to, "s{},{},", kernel.out[static_cast<std::size_t>(plan.stores[s].vector)], plan.is_alone(s));
      add_map(plan.stores[s].at);
    }
    for (const auto& step : plan.program.steps()) {
      fmt::format_to(to, "{}.{}.{}", static_cast<int>(step.of.code), static_cast<int>(step.of.function), step.of.index);
      for (const auto a : step.of.arguments()) fmt::format_to(to, ",{}", a);
      fmt::format_to(to, ".{}", static_cast<int>(step.rule));
      for (const auto a : step.args) fmt::format_to(to, ",{}", a);
      fmt::format_to(to, ".{}{}{}", step.negative[0], step.negative[1], step.negative[2]);
      fmt::format_to(to, ".{},{}.{}{};", step.slopes[0], step.slopes[1], step.has_history, step.has_rest);
    }
    for (const auto& c : plan.program.constants()) {
      // As machine code has it.
      fmt::format_to(to, "{:a},", static_cast<double>(c));
    }
    for (const auto& output : plan.program.outputs()) fmt::format_to(to, "o{},{};", output.value, output.negative);
    for (const auto v : plan.again) fmt::format_to(to, "{},", v);
  }
  for (const auto* actions : {&start, &order, &rest}) {
    key += '|';
    for (const Action& each : *actions) {
      fmt::format_to(to, "{} {} {}", static_cast<int>(each.act), each.index, each.ahead);
      for (const Row& row : {each.to, each.a, each.b}) fmt::format_to(to, " {} {}", row.vector, row.ahead);
      fmt::format_to(to, " {};", each.size);
    }
  }
  return key;
}

}  // namespace cotangent
