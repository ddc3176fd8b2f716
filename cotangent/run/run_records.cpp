#include "cotangent/run/run_records.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "cotangent/analysis/periodogram.hpp"
#include "cotangent/base/instantiate.hpp"
#include "cotangent/base/unknown_name.hpp"

namespace cotangent {

namespace {

// A signal that there would be, or is, under another name.
template <class T>
void refuse_idle_signal(const RunWords& words, const MonitorSet<T>& monitors, const std::string& name) {
  if (monitors.find(name)) return;
  if (const std::string full = "invariants." + name; monitors.find(full))
    words.refuse("periodogram", fmt::format("there is no signal '{}'", name),
                 fmt::format("the invariant is called '{}' here", full));
  for (const MonitorFacts& facts : cotangent::monitors())
    if (facts.name == name)
      words.refuse("periodogram", fmt::format("'{}' is not watched in this run", name),
                   "add " + (name == "error" ? words.spell("reference", "finer:2") : words.spell("monitor", name)));
}

// What keeps the signals whose periodograms are asked for; a null pointer if there are none.
template <class T>
std::unique_ptr<SignalRecorder<T>> choose_signals(const RunMachine<T>& machine, const MonitorSet<T>& monitors) {
  const RunWords& words = machine.parts.words;
  const auto& names = machine.parts.plan.periodogram;
  if (names.empty()) return nullptr;
  return words.blame("periodogram", [&] {
    try {
      return std::make_unique<SignalRecorder<T>>(machine.parts.model, machine.manifold(), monitors, names);
    } catch (const UnknownName&) {
      for (const auto& name : names) refuse_idle_signal(words, monitors, name);
      throw;
    }
  });
}

template <class T>
std::unique_ptr<CsvWriter<T>> open_output(const RunMachine<T>& machine, const MonitorSet<T>& monitors,
                                          const std::optional<WrittenPart>& after) {
  const std::string& file = machine.parts.plan.out;
  if (file.empty()) return nullptr;
  try {
    return std::make_unique<CsvWriter<T>>(file, machine.parts.model, machine.manifold(), monitors, after);
  } catch (const std::runtime_error& error) {
    machine.parts.words.refuse("out", error.what());
  }
}

}  // namespace

template <class T>
RunRecords<T>::RunRecords(const RunMachine<T>& machine, const MonitorSet<T>& monitors, PoincareSection<T>& section,
                          const WrittenParts& after)
    : section_(section),
      signals_(choose_signals(machine, monitors)),
      writer_(open_output(machine, monitors, after.out)) {
  section_.open(machine.parts, machine.manifold(), after.section_out);
  recorders_.add(writer_.get());
  recorders_.add(signals_.get());
}

template <class T>
void RunRecords<T>::signals_state(Archive& archive) {
  if (signals_) archive("signals", *signals_);
}

template <class T>
WrittenParts RunRecords<T>::written() {
  return {writer_ ? std::optional(writer_->written()) : std::nullopt, section_.written()};
}

template <class T>
std::vector<NamedPeriodogram> RunRecords<T>::periodograms() const {
  std::vector<NamedPeriodogram> result;
  for (std::size_t k = 0; signals_ && k < signals_->names().size(); ++k)
    result.push_back({signals_->names()[k], periodogram(signals_->spacing(), signals_->samples(k))});
  return result;
}

COTANGENT_INSTANTIATE(PRECISIONS, RunRecords);

}  // namespace cotangent
