#include "cotangent/elements/refusal.hpp"

#include <fmt/format.h>

#include <optional>

namespace cotangent {
namespace {

// A value that is not finite also has no derivative: it is looked for first.
std::optional<std::string> find_cause(const FunctionText& function, const ModelNumbers& numbers, Expr& operation) {
  if (!function.value.valid()) return std::nullopt;
  for (const auto of : {BreakdownOf::value, BreakdownOf::derivative}) {
    const auto cause = find_breakdown(function.value, numbers.leaf(function.indices), of);
    if (!cause) continue;
    operation = cause->operation;
    return describe(*cause, of);
  }
  return std::nullopt;
}

}  // namespace

ModelError refusal(const Model& model, const Location& where, const std::string& message,
                   const std::string& suggestion) {
  if (where.source) return {where, message, suggestion};
  return {model.name.empty() ? "model" : model.name, message, suggestion};
}

ModelError refusal(const Model& model, const FunctionText& function, const ModelPoint& point,
                   const std::string& message) {
  const ModelNumbers numbers(model, point);
  Expr operation;
  const auto cause = find_cause(function, numbers, operation);
  if (!cause) return refusal(model, function.where, message);
  const std::string sentence = fmt::format("{}: {}", message, *cause);
  const Location* written = model.places.find(operation, function.where);
  if (!written) return refusal(model, function.where, sentence);
  // Written in a definition: the reader also wants to know who uses it.
  const bool is_elsewhere = function.where.source && !contains(function.where, *written);
  return refusal(model, *written, sentence,
                 is_elsewhere ? fmt::format("it is used at {}", to_string(function.where)) : "");
}

std::string energy_name(const Model& model) {
  return model.dynamics == Dynamics::lagrangian ? "the Lagrangian" : "the Hamiltonian";
}

void expect_defined_energy(const Model& model, const ModelPoint& point) {
  const ModelNumbers numbers(model, point);
  Expr operation;
  if (find_cause(energy_text(model), numbers, operation))
    throw refusal(model, energy_text(model), point, energy_name(model) + " is not defined at the initial data");
}

}  // namespace cotangent
