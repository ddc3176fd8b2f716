#include "option_numbers.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <utility>

#include "cotangent/expr/algorithm.hpp"
#include "cotangent/model/reader.hpp"
#include "option_table.hpp"

using namespace cotangent;

namespace {

// Expressions are read by the model; what it says about them is said again of the option, in whose value so many
// characters come before them.
Expr read_number(const Model& model, const OptionPlaces& places, const std::string& option, const std::string& text,
                 std::size_t before = 0) {
  try {
    return read_expression(model, text);
  } catch (const ModelError& error) {
    places.refuse(option, error.message(), error.suggestion(), {before + error.column(), error.length()});
  }
}

Quad evaluate_constant(const Model& model, const OptionPlaces& places, const std::string& option,
                       const std::string& text, std::size_t before) {
  return evaluate<Quad>(read_number(model, places, option, text, before), [&](SymbolId symbol, auto) -> Quad {
    for (const auto& parameter : model.parameters)
      if (parameter.symbol == symbol) return parameter.value;
    places.refuse(option, fmt::format("'{}' is not a parameter", model.graph->symbol(symbol).name),
                  "numbers on the command line may use parameters only");
  });
}

double number(const Model& model, const OptionPlaces& places, const std::string& option, const std::string& text,
              std::size_t before = 0) {
  char* end = nullptr;
  double value = std::strtod(text.c_str(), &end);
  if (text.empty()) places.refuse(option, "a number is missing");
  if (*end != '\0') value = static_cast<double>(evaluate_constant(model, places, option, text, before));
  if (!std::isfinite(value)) places.refuse(option, "not a finite number");
  return value;
}

std::int64_t integer(const Model& model, const OptionPlaces& places, const std::string& option,
                     const std::string& text) {
  const double value = number(model, places, option, text);
  if (value != std::floor(value) || std::abs(value) > 0x1p53) places.refuse(option, "not an integer");
  return static_cast<std::int64_t>(value);
}

// "ALPHA,BETA", or one number for both. Commas in parentheses are those of functions.
std::pair<double, double> read_baumgarte(const Model& model, const OptionPlaces& places, const std::string& text) {
  const auto rate = [&](std::size_t begin, std::size_t end) {
    const double value = number(model, places, "baumgarte", text.substr(begin, end - begin), begin);
    if (value < 0)
      places.refuse("baumgarte", fmt::format("must be 0 or more, not {}", value),
                    "two numbers are expected, ALPHA,BETA: g'' + 2 ALPHA g' + BETA^2 g = 0", {begin + 1, end - begin});
    return value;
  };
  int depth = 0;
  for (std::size_t k = 0; k < text.size(); ++k) {
    depth += text[k] == '(' ? 1 : text[k] == ')' ? -1 : 0;
    if (text[k] == ',' && depth == 0) return {rate(0, k), rate(k + 1, text.size())};
  }
  const double both = rate(0, text.size());
  return {both, both};
}

}  // namespace

Expr read_option_expression(const RunOptions& options, const Model& model, const std::string& option,
                            const std::string& text) {
  return read_number(model, options.places, option, text);
}

void evaluate_numbers(RunOptions& options, const Model& model) {
  for (const auto& [option, text] : options.pending) {
    const auto& member = find_entry(option)->member;
    if (const auto* real = std::get_if<RealOption>(&member))
      options.*(*real) = number(model, options.places, option, text);
    if (const auto* whole = std::get_if<IntegerOption>(&member))
      options.*(*whole) = integer(model, options.places, option, text);
  }
}

void evaluate_rates(RunOptions& options, const Model& model) {
  if (options.baumgarte) options.baumgarte_rates = read_baumgarte(model, options.places, *options.baumgarte);
}
