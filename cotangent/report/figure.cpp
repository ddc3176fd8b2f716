#include "cotangent/report/figure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "cotangent/analysis/series.hpp"
#include "cotangent/base/unknown_name.hpp"

namespace cotangent {
namespace {

using Names = std::vector<std::string>;

constexpr std::size_t kPoints = 20'000;   // of a curve in the plane
constexpr std::size_t kTrajectories = 6;  // that are drawn together
const Names kPanels{"energy", "residuals", "wedge", "errors", "invariants", "trajectories", "phase"};

// Where gnuplot would see subscripts and powers.
std::string plain(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (std::string("_^{}@&~\\").find(c) != std::string::npos) result += "\\\\";
    if (c == '"') continue;
    result += c;
  }
  return result;
}

/// The columns of a record by what they are.
class Columns {
 public:
  explicit Columns(const CsvTable<double>& record) : names_(record.names) {}

  // Those whose names satisfy a condition.
  template <class F>
  std::vector<Panel::Line> lines(const F& is_wanted) const {
    std::vector<Panel::Line> result;
    for (std::size_t k = 1; k < names_.size(); ++k)
      if (is_wanted(names_[k])) result.push_back({names_[k], 0, k});
    return result;
  }

  std::size_t find(const std::string& name) const {
    const auto found = std::find(names_.begin(), names_.end(), name);
    if (found == names_.end()) throw UnknownName("column", name, names_);
    return static_cast<std::size_t>(found - names_.begin());
  }

  bool has(const std::string& name) const { return std::count(names_.begin(), names_.end(), name) > 0; }

  // Coordinates have momenta; without any the first columns are shown.
  std::vector<Panel::Line> moving() const {
    auto result = lines([&](const std::string& name) { return has("p_" + name); });
    if (result.empty()) result = lines([](const std::string&) { return true; });
    if (result.size() > kTrajectories) result.resize(kTrajectories);
    return result;
  }

 private:
  const Names& names_;
};

Panel pair(const Columns& columns, const std::string& x, const std::string& y) {
  Panel panel{.y_label = y, .x_label = x};
  panel.lines = {{"", columns.find(x), columns.find(y)}};
  return panel;
}

Panel panel_of(const Columns& columns, const std::string& name) {
  const auto begins = [](const char* text) {
    return [text](const std::string& other) { return other.starts_with(text); };
  };
  const auto is = [](const char* text) { return [text](const std::string& other) { return other == text; }; };
  if (name == "energy") return {.y_label = "|H - H(0)|", .is_logarithmic = true, .lines = columns.lines(is("energy"))};
  if (name == "residuals") {
    Panel panel{.y_label = "residuals", .is_logarithmic = true};
    for (const auto& [column, label] : {std::pair{"position", "|g|"}, std::pair{"momentum", "|G H_p|"}})
      if (columns.has(column)) panel.lines.push_back({label, 0, columns.find(column)});
    return panel;
  }
  if (name == "wedge") return {.y_label = "wedge", .is_logarithmic = true, .lines = columns.lines(is("wedge"))};
  if (name == "errors")
    return {.y_label = "error", .is_logarithmic = true, .lines = columns.lines([&](const std::string& other) {
              return other == "error" || begins("errors.")(other);
            })};
  if (name == "invariants")
    return {.y_label = "invariants", .is_logarithmic = true, .lines = columns.lines(begins("invariants."))};
  if (name == "trajectories") return {.y_label = "coordinates", .lines = columns.moving()};
  if (name == "phase") {
    const auto moving = columns.moving();
    if (moving.empty()) return {};
    const std::string& x = moving.front().label;
    if (columns.has("p_" + x)) return pair(columns, x, "p_" + x);
    return moving.size() > 1 ? pair(columns, x, moving[1].label) : Panel();
  }
  if (const auto colon = name.find(':'); colon != name.npos)
    return pair(columns, name.substr(0, colon), name.substr(colon + 1));
  if (!columns.has(name)) {
    Names known = kPanels;
    for (const auto& line : columns.lines([](const std::string&) { return true; })) known.push_back(line.label);
    throw UnknownName("panel or column", name, known);
  }
  return {.y_label = name, .lines = {{name, 0, columns.find(name)}}};
}

void append_over_time(std::string& script, const CsvTable<double>& record, const Panel::Line& line, bool is_log) {
  const auto& t = record.columns[line.x];
  const auto& y = record.columns[line.y];
  Series series(2048);
  for (std::size_t k = 0; k < t.size(); ++k) series.add(std::abs(t[k] - t[0]), is_log ? std::abs(y[k]) : y[k]);
  const double sign = t.back() < t.front() ? -1 : 1;
  for (const SeriesBin& bin : series.bins()) {
    const double low = series.first_value() + bin.min, high = series.first_value() + bin.max;
    for (const double value : {low, high})
      if (!is_log || value > 0) script += fmt::format("{:.10g} {:.10g}\n", t[0] + sign * bin.t_mean, value);
  }
}

void append_points(std::string& script, const CsvTable<double>& record, const Panel::Line& line) {
  const auto &x = record.columns[line.x], &y = record.columns[line.y];
  const std::size_t step = (x.size() + kPoints - 1) / kPoints;
  for (std::size_t k = 0; k < x.size(); k += step) script += fmt::format("{:.10g} {:.10g}\n", x[k], y[k]);
}

std::string terminal(const std::string& file, std::size_t panels) {
  const std::string ending = file.substr(file.rfind('.') + 1);
  const double height = 0.6 + 2.3 * static_cast<double>(panels);  // inches
  if (ending == "pdf") return fmt::format("pdfcairo enhanced color font 'Helvetica,10' size 5.2in,{}in", height);
  if (ending == "svg") return fmt::format("svg enhanced font 'Helvetica,13' size 640,{:.0f} dynamic", height * 123);
  return fmt::format("pngcairo enhanced color font 'Helvetica,20' size 1280,{:.0f} linewidth 2", height * 246);
}

}  // namespace

std::vector<Panel> choose_panels(const CsvTable<double>& record, const std::vector<std::string>& names) {
  const Columns columns(record);
  std::vector<Panel> panels;
  for (const std::string& name : names.empty() ? Names{"energy", "residuals", "phase"} : names) {
    Panel panel = panel_of(columns, name);
    if (!panel.lines.empty()) {
      panels.push_back(std::move(panel));
    } else if (!names.empty()) {
      throw std::invalid_argument(
          fmt::format("the record has no columns for '{}'; they are {}", name, fmt::join(record.names, ", ")));
    }
  }
  if (panels.empty()) throw std::invalid_argument("the record has nothing to show");
  return panels;
}

std::string gnuplot_script(const CsvTable<double>& record, const std::vector<Panel>& panels, const std::string& file) {
  std::string quoted;
  for (const char c : file) quoted += c == '\'' ? "''" : std::string(1, c);
  std::string script = fmt::format(
      "set terminal {}\nset output '{}'\n"
      "set style data lines\nset border 3 linecolor rgb '#5a626c'\nset tics nomirror out scale 0.6\n"
      "set grid ytics linecolor rgb '#e0e0da' linewidth 0.6\nset key outside top right horizontal\n"
      "set multiplot layout {},1\nset lmargin 11\nset rmargin 3\n",
      terminal(file, panels.size()), quoted, panels.size());
  const std::vector<const char*> colours{"#1b6ab0", "#c2470c", "#0a7a56", "#9140a3", "#866400", "#4c5a68"};
  int blocks = 0;
  for (const Panel& panel : panels) {
    std::string plots;
    for (std::size_t k = 0; k < panel.lines.size(); ++k) {
      const auto& line = panel.lines[k];
      script += fmt::format("$data{} << END_OF_DATA\n", ++blocks);
      panel.is_over_time() ? append_over_time(script, record, line, panel.is_logarithmic)
                           : append_points(script, record, line);
      script += "END_OF_DATA\n";
      const std::string title = panel.lines.size() > 1 ? fmt::format("title \"{}\"", plain(line.label)) : "notitle";
      plots += fmt::format("{}$data{} using 1:2 {} linewidth 1.2 linecolor rgb '{}'", k > 0 ? ", " : "", blocks, title,
                           colours[k % colours.size()]);
    }
    script +=
        panel.is_logarithmic ? "set logscale y\nset format y '10^{%L}'\n" : "unset logscale y\nset format y '%g'\n";
    script += fmt::format("set xlabel \"{}\"\nset ylabel \"{}\"\n", plain(panel.x_label), plain(panel.y_label));
    script += fmt::format("plot {}\n", plots);
  }
  return script + "unset multiplot\nset output\n";
}

}  // namespace cotangent
