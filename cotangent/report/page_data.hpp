#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cotangent/base/file.hpp"
#include "cotangent/output/run_report.hpp"
#include "cotangent/report/page_record.hpp"

namespace cotangent {

inline const FileKind kPageKind{.name = "page", .begin = "<!doctype html>"};

/// Where a page comes from.
struct PageOrigin {
  std::string kind;     ///< the command: "run", "compare", "reproduce", "analyze"
  std::string program;  ///< its name and version
  std::string command;  ///< as it was typed
};

/// A sentence at the top of a page.
struct PageVerdict {
  std::string mark;  ///< "good", "bad" or "open"
  std::string head, text;
};

/// A plot by itself.
struct PageFigure {
  struct Axis {
    std::string label;
    bool is_logarithmic = false;
  };
  struct Line {
    std::string label;
    std::vector<double> x, y;
    bool is_emphasised = false;
    std::optional<bool> is_dotted = {};  ///< of an orbit: whether some of its points are left out
  };
  struct Mark {
    double x;
    std::string label;
  };
  std::string title, caption;
  Axis x, y;
  std::vector<Line> lines;
  std::vector<Mark> marks = {};  ///< vertical lines
};

/// Rows of texts, the first of them the names of columns. Cells that begin and end with $ are typeset.
struct PageTable {
  std::string title, caption;
  std::vector<std::vector<std::string>> rows;
  std::optional<std::size_t> emphasised = {};  ///< a row
  std::optional<std::size_t> marks = {};       ///< a column of "good", "bad" and "open: words", shown with its sign
};

/// Figures and tables that belong together.
struct PagePart {
  std::string title, lead;
  std::vector<PageFigure> figures = {};
  std::vector<PageTable> tables = {};
};

/// The data of a page, as JSON:
///
///   kind, program, command, name, title
///   verdict     { mark, head, text }, where there is one beside those of runs
///   source      { file, text, set }: the model as it was read
///   equations   [{ name, role, text, tex }]: the formulas of the model, in its language and in LaTeX
///   runs        see page_run
///   analysis    what `analyze` found, where it is the question
///   parts       [{ title, lead, figures, tables }]
///                 figures [{ title, caption, x, y, lines, marks }], tables [{ title, caption, rows, emphasised, marks
///                 }]
///
/// pages/src/data.ts has the same as types.
struct PageData {
  const PageOrigin& origin;
  const Model* model = nullptr;  ///< where there is one
  std::string title = {};        ///< where there is none
  std::optional<PageVerdict> verdict = {};
  std::vector<Json> runs = {};
  std::vector<PagePart> parts = {};
  std::optional<Json> analysis = {};  ///< what `analyze` prints for programs

  std::string text() const;
};

/// One of the runs of a page: { label, summary, record, picture, periodograms, section }. The summary is that of
/// json_summary without the numbers of the last point.
/// @param section its points, if there are any.
template <class T>
Json page_run(const RunReport<T>& report, const PageRecord<T>& record, const PageRecord<T>* section);

/// Whether this program has been built with the page.
bool has_page();

/// The page with its data: one HTML file that needs no other. @pre has_page()
std::string page_with(const std::string& data);

}  // namespace cotangent
