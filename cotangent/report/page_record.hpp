#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cotangent/analysis/series.hpp"
#include "cotangent/monitor/expressions.hpp"
#include "cotangent/output/point_columns.hpp"
#include "cotangent/report/drawing.hpp"
#include "cotangent/simulation/recorder.hpp"

namespace cotangent {

/// The frames of a picture: where its points and bodies are.
template <class T>
class PictureFrames {
 public:
  PictureFrames(const Model& model, Drawing drawing, Backend backend);

  const Drawing& drawing() const { return drawing_; }
  /// Of its points and bodies, in their order.
  const std::vector<NamedRows>& rows() const { return values_.rows(); }

  /// Their numbers, until the next point.
  const std::vector<T>& operator()(const PhasePoint<T>& z) { return values_(z); }

 private:
  Drawing drawing_;
  Expressions<T> values_;
};

/// Keeps what a page shows of a run, in bounded memory: records at equal distances, of which every other one is
/// dropped whenever there are too many, and the extrema of each column between those that are left.
template <class T>
class PageRecord final : public Recorder<T> {
 public:
  /// @param manifold must outlive this. @param picture what is evaluated at each record, if there is one.
  PageRecord(const Model& model, Manifold<T>& manifold, const MonitorSet<T>& monitors,
             std::unique_ptr<PictureFrames<T>> picture = {});

  void record(const PhasePoint<T>& z, const MonitorSet<T>& monitors) override;
  /// The same of a point whose row of columns is known. @pre a number for each column of a record without the time
  void take(const PhasePoint<T>& z, const std::vector<T>& row);
  void finish() override;

  /// A column of the record, and what it is: "coordinate", "momentum", "state", "observable", "monitor".
  struct Column {
    std::string name;
    std::string role;
    std::vector<double> values = {};  ///< at the times that are kept
    Series extrema = Series(4096);    ///< by the time since the first record
  };
  const std::vector<Column>& columns() const { return columns_; }
  const std::vector<double>& times() const { return times_; }
  const std::vector<float>& frames() const { return frames_; }  ///< a row for each time
  const PictureFrames<T>* picture() const { return picture_.get(); }
  std::int64_t stride() const { return stride_; }          ///< every how many records one is kept
  std::int64_t records() const { return records_; }        ///< that there were
  std::int64_t columns_in_all() const { return in_all_; }  ///< of which some are shown

 private:
  void keep();
  void thin();

  PointColumns<T> all_;
  std::vector<std::size_t> places_;  // in all_, of the columns that are kept
  std::vector<Column> columns_;
  std::unique_ptr<PictureFrames<T>> picture_;
  std::int64_t in_all_ = 0, records_ = 0, stride_ = 1;
  std::size_t capacity_ = 0;
  double start_ = 0;
  std::vector<double> times_, row_;  // the record that came last
  std::vector<float> frame_, frames_;
  double time_ = 0;
  bool is_kept_ = true;
};

COTANGENT_DECLARE(PRECISIONS, PictureFrames);
COTANGENT_DECLARE(PRECISIONS, PageRecord);

}  // namespace cotangent
