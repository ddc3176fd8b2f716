#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cotangent/monitor/section.hpp"
#include "cotangent/output/csv_writer.hpp"
#include "cotangent/output/run_report.hpp"
#include "run_parts.hpp"

/// The Poincaré section that was asked for, with its file.
template <class T>
class PoincareSection {
 public:
  /// @throws cotangent::ModelError for an expression that makes no sense. One that is constant is noted.
  PoincareSection(const RunParts& parts, std::vector<std::string>& notes);

  /// What goes along with the run; a null pointer if there is no section.
  const std::shared_ptr<cotangent::Section<T>>& follower() const { return section_; }

  /// Opens the file, if there is to be one. @throws cotangent::ModelError if it cannot be written.
  /// @param after see CsvWriter.
  void open(const RunParts& parts, cotangent::Manifold<T>& manifold,
            const std::optional<cotangent::WrittenPart>& after = {});

  /// What it has written; nothing if there is no file. @throws std::runtime_error as CsvWriter::written().
  std::optional<cotangent::WrittenPart> written() { return writer_ ? std::optional(writer_->written()) : std::nullopt; }

  /// Closes the file: what there is to tell. A file that cannot be written is a failure of the run.
  std::optional<cotangent::SectionReport> finish(cotangent::Summary& summary);

 private:
  std::shared_ptr<cotangent::Section<T>> section_;
  cotangent::MonitorSet<T> no_monitors_;
  std::unique_ptr<cotangent::CsvWriter<T>> writer_;
  std::optional<std::string> file_;
};
