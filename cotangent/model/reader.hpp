#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "cotangent/model/model.hpp"
#include "cotangent/model/run_keys.hpp"
#include "cotangent/model/source/source.hpp"

namespace cotangent {

/// "NAME=VALUE": NAME is a parameter, or an initial value (x, p_x, v_x, x[3]), VALUE an
/// expression. Everything that depends on it is evaluated again.
using Overrides = std::vector<std::string>;

/// Whether [initial] must give every coordinate, momentum and state a value.
enum class InitialCoverage : std::uint8_t { complete, partial };

/// Reads a model file. Nothing but that file is read, and nothing in it is executed.
/// @param run the keys of [run] that are known; values of others are kept as they are.
/// @param tables initial values; those that depend on them are evaluated again.
/// @throws ModelError at the first mistake.
Model read_model(const std::filesystem::path& file, const Overrides& overrides = {}, std::span<const RunKey> run = {},
                 const std::vector<InitialTable>& tables = {}, InitialCoverage initial = InitialCoverage::complete);

/// The same for a text; `file_name` stands in messages, its stem becomes the name of the model.
Model read_model_text(std::string text, std::string file_name, const Overrides& overrides = {},
                      std::span<const RunKey> run = {}, const std::vector<InitialTable>& tables = {},
                      InitialCoverage initial = InitialCoverage::complete);

/// An expression in the coordinates, momenta, velocities and parameters of a finished model, and t.
/// New nodes are added to the graph of the model.
/// @throws ModelError
Expr read_expression(const Model& model, std::string text);

}  // namespace cotangent
