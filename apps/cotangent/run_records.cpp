#include "run_records.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "cotangent/analysis/periodogram.hpp"
#include "cotangent/base/instantiate.hpp"
#include "cotangent/base/unknown_name.hpp"

using namespace cotangent;

namespace {

// A signal that there would be, or is, under another name.
template <class T>
void refuse_idle_signal(const RunOptions& options, const MonitorSet<T>& monitors, const std::string& name) {
  if (monitors.find(name)) return;
  if (const std::string full = "invariants." + name; monitors.find(full))
    options.places.refuse("periodogram", fmt::format("there is no signal '{}'", name),
                          fmt::format("the invariant is called '{}' here", full));
  for (const MonitorFacts& facts : cotangent::monitors())
    if (facts.name == name)
      options.places.refuse("periodogram", fmt::format("'{}' is not watched in this run", name),
                            name == "error" ? "add --reference finer:2, say" : fmt::format("add --monitor {}", name));
}

// What keeps the signals whose periodograms are asked for; a null pointer if there are none.
template <class T>
std::unique_ptr<SignalRecorder<T>> choose_signals(const RunMachine<T>& machine, const MonitorSet<T>& monitors) {
  const RunOptions& options = machine.parts.options;
  const auto& names = machine.parts.choices.signals;
  if (names.empty()) return nullptr;
  return options.places.blame("periodogram", [&] {
    try {
      return std::make_unique<SignalRecorder<T>>(machine.parts.model, machine.manifold(), monitors, names);
    } catch (const UnknownName&) {
      for (const auto& name : names) refuse_idle_signal(options, monitors, name);
      throw;
    }
  });
}

template <class T>
std::unique_ptr<CsvWriter<T>> open_output(const RunMachine<T>& machine, const MonitorSet<T>& monitors,
                                          const std::optional<WrittenPart>& after) {
  const RunOptions& options = machine.parts.options;
  if (!options.out) return nullptr;
  try {
    return std::make_unique<CsvWriter<T>>(*options.out, machine.parts.model, machine.manifold(), monitors, after);
  } catch (const std::runtime_error& error) {
    options.places.refuse("out", error.what());
  }
}

}  // namespace

template <class T>
RunRecords<T>::RunRecords(const RunMachine<T>& machine, RunWatch<T>& watch, const Resumption* resumption)
    : options_(machine.parts.options), section_(watch.section()) {
  const auto kept = [&](const std::optional<WrittenFile> RememberedRun::*file, const std::optional<std::string>& now) {
    return resumption ? Resumption::kept(resumption->run.*file, now) : std::nullopt;
  };
  signals_ = choose_signals(machine, watch.monitors());
  writer_ = open_output(machine, watch.monitors(), kept(&RememberedRun::out, options_.out));
  section_.open(machine.parts, machine.manifold(), kept(&RememberedRun::section_out, options_.section_out));
  recorders_.add(writer_.get());
  recorders_.add(signals_.get());
}

template <class T>
void RunRecords<T>::signals_state(Archive& archive) {
  if (signals_) archive("signals", *signals_);
}

template <class T>
std::optional<WrittenFile> RunRecords<T>::out() {
  if (!writer_) return std::nullopt;
  return WrittenFile{absolute(*options_.out), writer_->written()};
}

template <class T>
std::optional<WrittenFile> RunRecords<T>::section_out() {
  const auto part = section_.written();
  if (!part) return std::nullopt;
  return WrittenFile{absolute(*options_.section_out), *part};
}

template <class T>
std::vector<NamedPeriodogram> RunRecords<T>::periodograms() const {
  std::vector<NamedPeriodogram> result;
  for (std::size_t k = 0; signals_ && k < signals_->names().size(); ++k)
    result.push_back({signals_->names()[k], periodogram(signals_->spacing(), signals_->samples(k))});
  return result;
}

COTANGENT_INSTANTIATE(PRECISIONS, RunRecords);
