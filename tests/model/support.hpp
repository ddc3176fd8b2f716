#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <string>

#include "cotangent/expr/algorithm.hpp"
#include "cotangent/model/reader.hpp"

namespace cotangent {

inline Model read(const std::string& text, const Overrides& overrides = {}) {
  return read_model_text(text, "test.toml", overrides);
}

/// The value of an expression of the model: parameters have theirs, everything else a number that no two entries share.
inline double value_of(const Model& model, Expr e) {
  return evaluate<double>(e, [&](SymbolId symbol, std::span<const std::int64_t> indices) {
    for (const auto& parameter : model.parameters) {
      if (parameter.symbol != symbol) continue;
      std::int64_t at = 0, stride = 1;
      for (std::size_t k = 0; k < indices.size(); ++k) {
        at += stride * (indices[k] - 1);
        stride *= parameter.shape[k];
      }
      return static_cast<double>(indices.empty() ? parameter.value : parameter.table.at(static_cast<std::size_t>(at)));
    }
    double angle = static_cast<double>(symbol);
    for (const std::int64_t index : indices) angle = 3 * angle + static_cast<double>(index);
    return 2 + std::sin(angle);
  });
}

/// The value of an expression in the language.
inline double value_of(const Model& model, const std::string& text) {
  return value_of(model, read_expression(model, text));
}

inline const NamedValues& observable(const Model& model, const std::string& name) {
  for (const auto& values : model.observables)
    if (values.name == name) return values;
  throw std::out_of_range(name);
}

}  // namespace cotangent
