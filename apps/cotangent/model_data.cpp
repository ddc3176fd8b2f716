#include "model_data.hpp"

#include <fmt/format.h>

#include <map>

#include "cotangent/expr/algorithm.hpp"

using namespace cotangent;

namespace {

std::string target_of(const Model& model, const Assignment& assignment) {
  std::string text = model.graph->symbol(assignment.target).name;
  for (const Expr& index : assignment.indices) text += fmt::format("[{}]", to_string(index));
  for (const Loop& loop : assignment.loops)
    text += fmt::format(" {} in {}..{}", model.graph->symbol(loop.index).name, to_string(loop.lo), to_string(loop.hi));
  return text;
}

}  // namespace

std::string model_data(const Model& model) {
  std::string text;
  for (const Parameter& parameter : model.parameters) {
    text += fmt::format("{} {}", parameter.name, to_string(parameter.value));
    for (const std::int64_t size : parameter.shape) text += fmt::format(" {}", size);
    for (const Quad entry : parameter.table) text += fmt::format(" {}", to_string(entry));
    text += '\n';
  }
  // Where two assign one entry, the later one holds.
  std::map<std::string, std::string> initial;
  for (const Assignment& assignment : model.initial)
    initial[target_of(model, assignment)] = to_string(assignment.value);
  for (const auto& [target, value] : initial) text += fmt::format("{} = {}\n", target, value);
  return text;
}
