#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cotangent/model/black_box.hpp"
#include "cotangent/model/building/model_builder.hpp"
#include "cotangent/model/reader.hpp"

namespace cotangent {

/// A model from a file, from a text, or made in C++. @param set "NAME=VALUE" for parameters and initial values.
/// @throws ModelError
Model load_model(const std::filesystem::path& file, const Overrides& set = {});
Model parse_model(std::string text, const Overrides& set = {});
Model build_model(const ModelBuilder& builder, const Overrides& set = {});

/// The model that a run integrates: the model itself or, where Dirac's algorithm comes first, its Hamilton-Dirac
/// equations. @throws ModelError if these determine no motion.
Model runnable(Model model);

/// A model whose H and g are C++ functions; coordinates, initial values, observables and forces are the builder's.
/// Runs of it compute in double, and their functions may be called from the thread of the run.
/// @throws std::invalid_argument naming what the functions lack, or what is stated twice.
Model build_model(ModelBuilder builder, BlackBox functions, const Overrides& set = {});

/// The same for a model whose H and g stand for nothing but their shapes: so many coordinates and constraints.
Model with_functions(Model model, BlackBox functions);

/// The same model with other values; runs of both share what they compile.
Model with_values(const Model& model, const Overrides& set);

/// The same model with other initial values, such as those of a record: see initial_files.hpp.
Model with_initial(const Model& model, std::vector<InitialTable> tables);

}  // namespace cotangent
