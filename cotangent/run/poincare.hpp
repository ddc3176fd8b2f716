#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cotangent/monitor/section.hpp"
#include "cotangent/output/csv_writer.hpp"
#include "cotangent/output/run_report.hpp"
#include "cotangent/run/plan_run.hpp"
#include "cotangent/run/run_parts.hpp"

namespace cotangent {

/// The Poincaré section that was asked for, with its file.
template <class T>
class PoincareSection {
 public:
  /// @throws ModelError for an expression that makes no sense. One that is constant is noted.
  PoincareSection(const RunParts& parts, Notes& notes);

  /// What goes along with the run; a null pointer if there is no section.
  const std::shared_ptr<Section<T>>& follower() const { return section_; }

  /// Opens the file, if there is to be one. @throws ModelError if it cannot be written.
  /// @param after see CsvWriter.
  void open(const RunParts& parts, Manifold<T>& manifold, const std::optional<WrittenPart>& after = {});

  /// What it has written; nothing if there is no file. @throws std::runtime_error as CsvWriter::written().
  std::optional<WrittenPart> written() { return writer_ ? std::optional(writer_->written()) : std::nullopt; }

  /// Closes the file: what there is to tell. A file that cannot be written is a failure of the run.
  std::optional<SectionReport> finish(Summary& summary);

 private:
  std::shared_ptr<Section<T>> section_;
  MonitorSet<T> no_monitors_;
  std::unique_ptr<CsvWriter<T>> writer_;
  std::string file_;
};

}  // namespace cotangent
