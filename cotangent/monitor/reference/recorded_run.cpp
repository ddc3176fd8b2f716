#include "cotangent/monitor/reference/recorded_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "cotangent/base/instantiate.hpp"

namespace cotangent {
namespace {

template <class T>
T rounding(const T& t) {
  return T(8 * epsilon<double>()) * abs(t);
}

}  // namespace

template <class T>
RecordedRun<T>::RecordedRun(const Model& model, const std::vector<std::string>& names,
                            std::vector<std::vector<T>> columns, const std::vector<std::size_t>& lines) {
  const auto place = [&](std::size_t k) {
    return lines.empty() ? fmt::format("record {}", k + 1) : fmt::format("line {}", lines[k]);
  };
  const auto expect_finite = [&](const std::string& name, const std::vector<T>& column) {
    for (std::size_t k = 0; k < column.size(); ++k)
      if (!isfinite(column[k]))
        throw std::invalid_argument(fmt::format("'{}' is {:g} in {}", name, static_cast<double>(column[k]), place(k)));
  };
  const auto entries = point_entries(model);
  for (std::size_t k = 0; k < names.size(); ++k) {
    if (names[k] == "t") {
      expect_finite(names[k], columns[k]);
      times_ = std::move(columns[k]);
    } else if (const auto found = entries.find(names[k]); found != entries.end()) {
      expect_finite(names[k], columns[k]);
      entries_.push_back({found->second, std::move(columns[k])});
    }
  }
  if (std::find(names.begin(), names.end(), "t") == names.end()) throw std::invalid_argument("it has no column 't'");
  if (entries_.empty())
    throw std::invalid_argument(fmt::format(
        "no column has the name of a coordinate, a momentum or a state, such as '{}'", entry_name(model, 0)));
  if (times_.empty()) throw std::invalid_argument("it has no records");
  const bool is_backwards = times_.back() < times_.front();
  for (std::size_t k = 1; k < times_.size(); ++k)
    if (is_backwards ? times_[k] >= times_[k - 1] : times_[k] <= times_[k - 1])
      throw std::invalid_argument(fmt::format("its times do not {}: t = {:g} in {}",
                                              is_backwards ? "decrease" : "increase", static_cast<double>(times_[k]),
                                              place(k)));
  if (!is_backwards) return;
  std::reverse(times_.begin(), times_.end());
  for (Column& column : entries_) std::reverse(column.values.begin(), column.values.end());
}

// Runs go one way, but a sample may be followed by one before it.
template <class T>
std::size_t RecordedRun<T>::last_until(const T& t) {
  const T limit = t + rounding(t);
  while (at_ + 1 < times_.size() && times_[at_ + 1] <= limit) ++at_;
  while (at_ > 0 && times_[at_] > limit) --at_;
  return at_;
}

template <class T>
std::optional<SolutionError<T>> RecordedRun<T>::error(const PhasePoint<T>& z) {
  const auto go_to = [&](T& farthest) { farthest = abs(z.t - start_) > abs(farthest - start_) ? T(z.t) : farthest; };
  go_to(last_);
  const std::size_t k = last_until(z.t);
  if (abs(times_[k] - z.t) > rounding(z.t)) return std::nullopt;
  if (z.t != start_) ++compared_;
  go_to(last_common_);
  SolutionError<T> error;
  for (const Column& column : entries_) column.entry.add_difference(z, column.values[k], error);
  return error;
}

template <class T>
std::string RecordedRun<T>::remark() const {
  if (compared_ == 0 && last_ != start_)
    return fmt::format(
        "the record has no time in common with the run but the start: it has t = {:g}, {:g}, ...; record both with the "
        "same `sample = DT`",
        static_cast<double>(times_[0]), static_cast<double>(times_[std::min<std::size_t>(1, times_.size() - 1)]));
  const T ends = last_ < start_ ? times_.front() : times_.back();
  if (abs(last_ - start_) > abs(ends - start_) + rounding(last_))
    return fmt::format("the record ends at t = {:g}: after that 'error' is what it was at t = {:g}",
                       static_cast<double>(ends), static_cast<double>(last_common_));
  return {};
}

COTANGENT_INSTANTIATE(PRECISIONS, RecordedRun);

}  // namespace cotangent
