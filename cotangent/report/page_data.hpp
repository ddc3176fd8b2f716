#pragma once

#include <string>

#include "cotangent/base/file.hpp"
#include "cotangent/output/run_report.hpp"
#include "cotangent/report/page_record.hpp"

namespace cotangent {

inline constexpr FileKind kPageKind{.name = "page", .begin = "<!doctype html>", .may_be_stream = false};

/// Where a run that is shown comes from.
struct PageOrigin {
  std::string program;  ///< its name and version
  std::string command;  ///< that makes the run again
};

/// The data of the page of a run, as JSON:
///
///   kind        "run"
///   program, command, title, name
///   source      { file, text, set }: the model as it was read
///   equations   [{ name, text }]: the formulas of the model, in its language
///   runs        [{ label, summary, record, picture, periodograms, section }]: one here, several where runs are
///               compared; the summary is that of json_summary without the numbers of the last point
///   figures     [{ title, caption, x, y, lines }], tables [{ title, columns, rows }]: whatever else is to be shown
///
/// pages/src/data.ts has the same as types.
/// @param section its points, if there are any.
template <class T>
std::string page_data(const RunReport<T>& report, const PageOrigin& origin, const PageRecord<T>& record,
                      const PageRecord<T>* section);

/// Whether this program has been built with the page.
bool has_page();

/// The page with its data: one HTML file that needs no other. @pre has_page()
std::string page_with(const std::string& data);

}  // namespace cotangent
