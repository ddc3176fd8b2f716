#include "cotangent/report/page_record.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace cotangent {
namespace {

// What a page can hold.
constexpr std::size_t kRecords = 16384, kNumbers = 1 << 20, kFrameNumbers = 24'000'000;
constexpr std::size_t kShown = 16;  // columns of one role, of a system that has more than twice as many

// Some of so many, among them the first and the last; all of up to twice as many as that.
std::vector<std::size_t> chosen(std::size_t count, std::size_t most) {
  std::vector<std::size_t> places;
  const std::size_t shown = count <= 2 * most ? count : most;
  for (std::size_t k = 0; k < shown; ++k) places.push_back(shown == count ? k : k * (count - 1) / (shown - 1));
  return places;
}

// The expressions of what is drawn, points before bodies.
std::vector<NamedValues> values_of(const Picture& picture) {
  std::vector<NamedValues> values(picture.points.begin(), picture.points.end());
  values.insert(values.end(), picture.bodies.begin(), picture.bodies.end());
  return values;
}

}  // namespace

template <class T>
PictureFrames<T>::PictureFrames(const Model& model, Drawing drawing, Backend backend)
    : drawing_(std::move(drawing)), values_(model, values_of(drawing_.picture), backend) {}

template <class T>
PageRecord<T>::PageRecord(const Model& model, Manifold<T>& manifold, const MonitorSet<T>& monitors,
                          std::unique_ptr<PictureFrames<T>> picture)
    : all_(model, manifold, monitors), picture_(std::move(picture)) {
  std::size_t count[] = {0, 0, 0}, observables = 0, first = 0;
  for (const VariableColumn& column : variable_columns(model)) ++count[column.part];
  for (const auto& rows : manifold.system().elements().observable_rows)
    observables += static_cast<std::size_t>(rows.count);
  const auto add = [&](const char* role, std::size_t size, std::size_t most) {
    for (const std::size_t place : chosen(size, most)) {
      places_.push_back(first + place);
      columns_.push_back({all_.names()[first + place], role});
    }
    first += size;
  };
  add("coordinate", count[VariableColumn::q], kShown);
  add("momentum", count[VariableColumn::p], kShown);
  add("state", count[VariableColumn::s], kShown);
  add("observable", observables, kShown);
  add("monitor", monitors.list().size(), monitors.list().size());
  in_all_ = std::ssize(all_.names());
  if (picture_) frame_.resize(static_cast<std::size_t>(picture_->drawing().numbers));
  row_.resize(columns_.size());
  capacity_ = std::min({kRecords, kNumbers / std::max<std::size_t>(columns_.size(), 1),
                        kFrameNumbers / std::max<std::size_t>(frame_.size(), 1)});
}

template <class T>
void PageRecord<T>::record(const PhasePoint<T>& z, const MonitorSet<T>& monitors) {
  take(z, all_(z, monitors));
}

template <class T>
void PageRecord<T>::take(const PhasePoint<T>& z, const std::vector<T>& row) {
  time_ = static_cast<double>(z.t);
  if (records_ == 0) start_ = time_;
  for (std::size_t k = 0; k < places_.size(); ++k) {
    row_[k] = static_cast<double>(row[places_[k]]);
    columns_[k].extrema.add(std::abs(time_ - start_), row_[k]);
  }
  if (picture_) {
    const std::vector<T>& frame = (*picture_)(z);
    for (std::size_t k = 0; k < frame_.size(); ++k) frame_[k] = static_cast<float>(frame[k]);
  }
  is_kept_ = records_++ % stride_ == 0;
  if (is_kept_) keep();
}

template <class T>
void PageRecord<T>::keep() {
  if (times_.size() == capacity_) {
    thin();
    is_kept_ = (records_ - 1) % stride_ == 0;
    if (!is_kept_) return;
  }
  times_.push_back(time_);
  for (std::size_t k = 0; k < columns_.size(); ++k) columns_[k].values.push_back(row_[k]);
  frames_.insert(frames_.end(), frame_.begin(), frame_.end());
}

// Drops every other record.
template <class T>
void PageRecord<T>::thin() {
  const auto drop = [](auto& list, std::size_t width) {
    const std::size_t rows = width > 0 ? list.size() / width : 0;
    for (std::size_t r = 1; 2 * r < rows; ++r)
      std::copy_n(list.begin() + static_cast<std::ptrdiff_t>(2 * r * width), width,
                  list.begin() + static_cast<std::ptrdiff_t>(r * width));
    list.resize((rows + 1) / 2 * width);
  };
  drop(times_, 1);
  for (auto& column : columns_) drop(column.values, 1);
  drop(frames_, frame_.size());
  stride_ *= 2;
}

// The last record is always there.
template <class T>
void PageRecord<T>::finish() {
  if (is_kept_ || records_ == 0) return;
  is_kept_ = true;
  times_.push_back(time_);
  for (std::size_t k = 0; k < columns_.size(); ++k) columns_[k].values.push_back(row_[k]);
  frames_.insert(frames_.end(), frame_.begin(), frame_.end());
}

COTANGENT_INSTANTIATE(PRECISIONS, PictureFrames);
COTANGENT_INSTANTIATE(PRECISIONS, PageRecord);

}  // namespace cotangent
