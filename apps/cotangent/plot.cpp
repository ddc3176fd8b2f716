#include <fmt/format.h>
#include <sys/wait.h>

#include <cstdio>
#include <filesystem>

#include "commands.hpp"
#include "cotangent/base/file.hpp"
#include "cotangent/output/record/read_record.hpp"
#include "cotangent/report/figure.hpp"
#include "cotangent/run/options/option_table.hpp"
#include "messages.hpp"

using namespace cotangent;

namespace {

// What figures begin with, by the endings of their names.
FileKind kind_of_figure(const std::string& path) {
  const std::string ending = std::filesystem::path(path).extension().string();
  if (ending == ".pdf") return {.name = "figure", .begin = "%PDF"};
  if (ending == ".svg") return {.name = "figure", .begin = "<?xml"};
  if (ending == ".png") return {.name = "figure", .begin = "\x89PNG"};
  throw UsageError(fmt::format("--out {}: a figure is a .pdf, .svg or .png file", path));
}

// The script goes to gnuplot, which says on standard error what it does not like.
void draw(const std::string& script) {
  std::FILE* gnuplot = popen("gnuplot -", "w");
  if (!gnuplot) throw std::runtime_error("gnuplot could not be started");
  std::fwrite(script.data(), 1, script.size(), gnuplot);
  const int status = pclose(gnuplot);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
    throw std::runtime_error("figures are drawn by gnuplot, which is missing: apt-get install gnuplot-nox");
  if (status != 0) throw std::runtime_error("gnuplot could not draw the figure");
}

}  // namespace

int plot(const PlotRequest& request) {
  const FileKind kind = kind_of_figure(request.out);
  if (is_same_file(request.out, request.record)) throw UsageError(fmt::format("'{}' is the record", request.out));
  CsvTable<double> record;
  std::vector<Panel> panels;
  try {
    find_place(request.out, kind);
    record = read_record<double>(request.record);
    if (record.columns.empty() || record.columns.front().empty())
      throw std::invalid_argument(fmt::format("{} has no lines of numbers", request.record));
    panels = choose_panels(record, split_at_commas(request.what));
  } catch (const std::runtime_error& error) {
    throw UsageError(error.what());
  }
  draw(gnuplot_script(record, panels, request.out));
  return kDone;
}
