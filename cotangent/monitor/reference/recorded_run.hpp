#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/model/model.hpp"
#include "cotangent/monitor/point_entries.hpp"
#include "cotangent/monitor/reference/reference.hpp"

namespace cotangent {

/// A run that was recorded: some of the coordinates, momenta and states at some times. It is compared where times agree
/// to the rounding of a double, whatever the precision is: a record may be of another one.
template <class T>
class RecordedRun final : public Reference<T> {
 public:
  /// @param names of the columns, as a record has them; those that the model does not know are left out.
  /// @param columns all of one length. The one of "t" increases, or decreases. @param lines where records stand in
  /// their file, for messages; none: records are counted.
  /// @throws std::invalid_argument where there is nothing to compare, with the reason.
  RecordedRun(const Model& model, const std::vector<std::string>& names, std::vector<std::vector<T>> columns,
              const std::vector<std::size_t>& lines = {});

  void start(const PhasePoint<T>& z, LaneOf<T> /*h*/) override {
    at_ = 0;
    compared_ = 0;
    start_ = last_ = last_common_ = z.t;
  }
  std::optional<SolutionError<T>> error(const PhasePoint<T>& z) override;
  bool knows(PointPart part) const override {
    return std::any_of(entries_.begin(), entries_.end(), [=](const Column& one) { return one.entry.part == part; });
  }
  std::string remark() const override;
  void state(Archive& archive) override {
    archive("compared", compared_);
    archive("start", start_);
    archive("last", last_);
    archive("last_common", last_common_);
  }

  /// How many coordinates, momenta and states are compared.
  std::size_t size() const { return entries_.size(); }

 private:
  struct Column {
    PointEntry entry;
    std::vector<T> values;
  };

  // The last record with a time that is not after t, but for rounding.
  std::size_t last_until(const T& t);

  std::vector<T> times_;
  std::vector<Column> entries_;
  std::size_t at_ = 0;         // where it looked last
  std::int64_t compared_ = 0;  // points after the start
  // Of the run, and the times farthest from there that it was asked for, and had an answer to.
  T start_ = T(0), last_ = T(0), last_common_ = T(0);
};

COTANGENT_DECLARE(PRECISIONS, RecordedRun);

}  // namespace cotangent
