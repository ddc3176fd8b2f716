#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "cotangent/model/model.hpp"

namespace cotangent {

/// Initial values from files, for with_initial(). A model file itself reads nothing.

/// A point of a run.
struct InitialFrame {
  std::vector<InitialTable> tables;  ///< of all coordinates, momenta and states
  double time = 0;
};

/// The last record of a file that a run has written (`out`). @throws std::runtime_error naming columns that are
/// missing, or the line that is wrong.
InitialFrame initial_from_record(const Model& model, const std::filesystem::path& file);

/// The same of numbers in the order of a PhasePoint; s may have more numbers than there are states.
std::vector<InitialTable> initial_from_point(const Model& model, std::span<const Quad> q, std::span<const Quad> p,
                                             std::span<const Quad> s);

/// All entries of "r", "p_r", "v_r" or of a state, from FILE.npy, an array of the same shape, or from lines of numbers
/// in which the last index runs fastest: r[N,3] has N lines of three, x[N] one number in each line, or one line.
/// @throws std::runtime_error, or UnknownName for an array that there is not.
InitialTable initial_array(const Model& model, const std::string& name, const std::filesystem::path& file);

/// The same from numbers in which the last index runs fastest. @throws std::invalid_argument for another shape.
InitialTable initial_table(const Model& model, const std::string& name, std::span<const std::int64_t> shape,
                           std::span<const double> values);

}  // namespace cotangent
