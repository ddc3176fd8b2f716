#include "cotangent/output/signal_recorder.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/base/unknown_name.hpp"
#include "cotangent/monitor/point_entries.hpp"

namespace cotangent {

template <class T>
SignalRecorder<T>::SignalRecorder(const Model& model, Manifold<T>& manifold, const MonitorSet<T>& monitors,
                                  const std::vector<std::string>& names)
    : values_(manifold), names_(names), samples_(names.size()) {
  std::unordered_map<std::string, Signal> known;
  std::vector<std::string> listed;
  const auto declare = [&](const std::string& name, Kind kind, std::size_t place) {
    if (known.emplace(name, Signal{kind, place}).second) listed.push_back(name);
  };
  for (const auto& [name, entry] : point_entries(model)) {
    using Part = PointEntry::Part;
    declare(name, entry.part == Part::q ? Kind::q : entry.part == Part::p ? Kind::p : Kind::s, entry.place);
    if (entry.part == Part::q) declare("v_" + name, Kind::v, entry.place);
  }
  for (const auto& rows : manifold.system().elements().observable_rows)
    for (std::int64_t r = rows.first; r < rows.first + rows.count; ++r)
      declare(rows.row_name(r), Kind::observable, static_cast<std::size_t>(r));
  for (std::size_t k = 0; k < monitors.list().size(); ++k) declare(monitors.list()[k]->full_name(), Kind::monitor, k);
  for (const auto& name : names) {
    const auto found = known.find(name);
    if (found == known.end()) {
      std::sort(listed.begin(), listed.end());
      throw UnknownName("signal", name, listed);
    }
    signals_.push_back(found->second);
  }
}

template <class T>
double SignalRecorder<T>::value(const Signal& signal, const PhasePoint<T>& z, const MonitorSet<T>& monitors) {
  const auto at = [&](const std::vector<T>& x) { return static_cast<double>(x[signal.place]); };
  switch (signal.kind) {
    case Kind::q:
      return at(z.q);
    case Kind::p:
      return at(z.p);
    case Kind::v:
      return at(values_.velocities(z));
    case Kind::s:
      return at(z.s);
    case Kind::observable:
      return at(values_.observables(z));
    case Kind::monitor:
      break;
  }
  return static_cast<double>(monitors.list()[signal.place]->signal());
}

template <class T>
void SignalRecorder<T>::record(const PhasePoint<T>& z, const MonitorSet<T>& monitors) {
  if (!is_even_ || count_ >= kMostSamples) return;
  const auto t = static_cast<double>(z.t);
  if (count_ == 1) first_ = t;
  is_even_ = count_ < 2 || std::abs(t - last_ - first_) < 1e-3 * first_;
  if (!is_even_) return;
  ++count_;
  last_ = t;
  for (std::size_t k = 0; k < signals_.size(); ++k) {
    const double x = value(signals_[k], z, monitors);
    signals_[k].is_finite = signals_[k].is_finite && std::isfinite(x);
    if (signals_[k].is_finite) samples_[k].push_back(x);
  }
}

template <class T>
void SignalRecorder<T>::state(Archive& archive) {
  const std::size_t signals = samples_.size();
  archive("samples", samples_);
  if (samples_.size() != signals) archive.fail("there are other signals");
  for (Signal& signal : signals_) archive("is_finite", signal.is_finite);
  archive("count", count_);
  archive("first", first_);
  archive("last", last_);
  archive("is_even", is_even_);
}

COTANGENT_INSTANTIATE(PRECISIONS, SignalRecorder);

}  // namespace cotangent
