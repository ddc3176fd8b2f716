#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cotangent/output/point_columns.hpp"
#include "cotangent/output/record/record_file.hpp"
#include "cotangent/simulation/recorder.hpp"

namespace cotangent {

/// Writes a trajectory to a file as it is made: the time, then what is recorded of each point.
template <class T>
class RecordWriter final : public Recorder<T> {
 public:
  RecordWriter(std::unique_ptr<RecordFile> file, PointColumns<T> columns)
      : file_(std::move(file)), columns_(std::move(columns)) {
    row_.reserve(columns_.names().size() + 1);
  }

  void record(const PhasePoint<T>& z, const MonitorSet<T>& monitors) override { add(z, monitors, nullptr); }
  void record_step(const Point<T>& z, const MonitorSet<T>& monitors) override { add(z, monitors, &z.own()); }
  void flush() override { file_->flush(); }
  void finish() override { file_->finish(); }

  RecordFile& file() { return *file_; }
  const RecordFile& file() const { return *file_; }

 private:
  void add(const PhasePoint<T>& z, const MonitorSet<T>& monitors, const OwnVariables<T>* own) {
    const std::vector<T>& numbers = columns_(z, monitors, own);
    row_.assign(1, z.t);
    row_.insert(row_.end(), numbers.begin(), numbers.end());
    file_->add(row_);
  }

  std::unique_ptr<RecordFile> file_;
  PointColumns<T> columns_;
  std::vector<T> row_;
};

}  // namespace cotangent
