#pragma once

#include <string>
#include <vector>

#include "cotangent/output/csv_reader.hpp"

namespace cotangent {

/// A part of a figure: some columns of a record over the time, or one column against another.
struct Panel {
  std::string y_label, x_label = "t";
  bool is_logarithmic = false;  ///< then magnitudes are shown
  struct Line {
    std::string label;
    std::size_t x, y;  ///< columns of the table
  };
  std::vector<Line> lines = {};
  bool is_over_time() const { return x_label == "t"; }
};

/// The panels of these names: energy, residuals, wedge, errors, invariants, trajectories, phase, a column `x` or a pair
/// `x:p_x`. Without names: of energy, residuals and phase those that the record has.
/// @throws UnknownName, or std::invalid_argument for a panel that the record has no columns for.
std::vector<Panel> choose_panels(const CsvTable<double>& record, const std::vector<std::string>& names);

/// A script for gnuplot that draws the panels below each other into a file. Its data are in the script: over the time
/// the extrema of up to 2048 intervals, which hide none.
/// @param file whose ending is pdf, svg or png.
std::string gnuplot_script(const CsvTable<double>& record, const std::vector<Panel>& panels, const std::string& file);

}  // namespace cotangent
