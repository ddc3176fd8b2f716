#include "cotangent/run/parts/run_records.hpp"

#include <fmt/format.h>

#include <exception>
#include <stdexcept>

#include "cotangent/analysis/periodogram.hpp"
#include "cotangent/base/instantiate.hpp"
#include "cotangent/base/limits.hpp"
#include "cotangent/base/unknown_name.hpp"
#include "cotangent/run/parts/record_about.hpp"

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

// A recorder of the signals whose periodograms are asked for; a null pointer if there are none.
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

// The columns that were chosen, or the usual ones.
template <class T>
PointColumns<T> choose_columns(const RunMachine<T>& machine, const MonitorSet<T>& monitors, const PhasePoint<T>& z,
                               const std::vector<std::string>& chosen) {
  const Model& model = machine.parts.model;
  if (chosen.empty()) return {model, machine.manifold(), monitors};
  const RunPlan& plan = machine.parts.plan;
  auto own = std::make_shared<OwnValues<T>>(machine.manifold(), plan.formulation, plan.formulation_options());
  const OwnNames names = own->names(z);
  return machine.parts.words.blame("record", [&] {
    return PointColumns<T>(machine.manifold(), record_table(model, machine.manifold(), monitors, names).choose(chosen),
                           std::move(own));
  });
}

template <class T>
std::unique_ptr<RecordWriter<T>> open_file(const RunMachine<T>& machine, const char* option, const std::string& path,
                                           PointColumns<T> columns, const std::optional<WrittenPart>& after) {
  const RunParts& parts = machine.parts;
  try {
    auto file = open_record(path, record_kind(parts.model, path), columns.fields(),
                            about_record(parts.model, parts.plan, columns.fields(), option),
                            {.compression = static_cast<int>(parts.plan.compression)}, after);
    return std::make_unique<RecordWriter<T>>(std::move(file), std::move(columns));
  } catch (const std::runtime_error& error) {
    parts.words.refuse(option, error.what());
  }
}

// Numbers of more digits than files of arrays have.
void note_rounding(const RunPlan& plan, Notes& notes) {
  const std::string ending = record_ending(plan.out);
  if (plan.precision == Precision::quad && !plan.out.empty() && !plan.writes_to_stdout() && ending != ".csv")
    notes.push_back(
        fmt::format("{} has the numbers of this run in double precision; a .csv file has all digits", plan.out));
}

// What moves, on a page.
template <class T>
std::unique_ptr<PictureFrames<T>> choose_pictures(const RunPlan& plan, const RunMachine<T>& machine,
                                                  const PhasePoint<T>& z, Notes& notes) {
  if (plan.report.empty()) return nullptr;
  const Model model = branch(machine.parts.model);  // points are expressions, and its graph grows
  auto drawing = model.picture ? std::optional(stated_drawing(model)) : derived_drawing(model, machine.manifold(), z);
  if (!drawing) return nullptr;
  if (drawing->numbers > kLimits.picture) {
    notes.push_back(fmt::format("the page has no picture: each frame would have {} numbers, and at most {} are shown",
                                drawing->numbers, kLimits.picture));
    return nullptr;
  }
  return std::make_unique<PictureFrames<T>>(model, std::move(*drawing), plan.chosen_backend());
}

// Where one of them fails the others go on.
template <class T, class F>
void for_all(const std::vector<Recorder<T>*>& recorders, const F& f) {
  std::exception_ptr first;
  for (Recorder<T>* recorder : recorders) {
    try {
      f(*recorder);
    } catch (const std::runtime_error&) {
      if (!first) first = std::current_exception();
    }
  }
  if (first) std::rethrow_exception(first);
}

}  // namespace

template <class T>
RunRecords<T>::RunRecords(const RunMachine<T>& machine, RunWatch<T>& watch, const PhasePoint<T>& z,
                          const WrittenParts& after, Notes& notes)
    : signals_(choose_signals(machine, watch.monitors())) {
  const RunPlan& plan = machine.parts.plan;
  note_rounding(plan, notes);
  if (!plan.out.empty())
    writer_ = open_file(machine, "out", plan.out, choose_columns(machine, watch.monitors(), z, plan.record), after.out);
  if (writer_) add(writer_.get());
  if (signals_) add(signals_.get());
  const Model& model = machine.parts.model;
  if (plan.is_shown()) {
    shown_ = std::make_unique<PageRecord<T>>(model, machine.manifold(), watch.monitors(),
                                             choose_pictures(plan, machine, z, notes));
    add(shown_.get());
  }
  if (plan.section.empty()) return;
  if (!plan.section_out.empty())
    section_writer_ = open_file(machine, "section-out", plan.section_out,
                                PointColumns<T>(model, machine.manifold(), no_monitors_), after.section_out);
  if (!plan.report.empty()) shown_section_ = std::make_unique<PageRecord<T>>(model, machine.manifold(), no_monitors_);
  watch.on_crossing = [this](const auto& crossing) {
    for_all<T>(of_section(), [&](Recorder<T>& recorder) { recorder.record(crossing, no_monitors_); });
  };
}

template <class T>
void RunRecords<T>::record(const PhasePoint<T>& z, const MonitorSet<T>& monitors) {
  for_all<T>(all_, [&](Recorder<T>& recorder) { recorder.record(z, monitors); });
}

template <class T>
void RunRecords<T>::record_step(const Point<T>& z, const MonitorSet<T>& monitors) {
  for_all<T>(all_, [&](Recorder<T>& recorder) { recorder.record_step(z, monitors); });
}

template <class T>
void RunRecords<T>::flush() {
  for_all<T>(with_section(), [](Recorder<T>& recorder) { recorder.flush(); });
}

template <class T>
void RunRecords<T>::finish() {
  for_all<T>(with_section(), [](Recorder<T>& recorder) { recorder.finish(); });
}

template <class T>
std::vector<Recorder<T>*> RunRecords<T>::with_section() const {
  std::vector<Recorder<T>*> recorders = all_;
  for (Recorder<T>* recorder : of_section()) recorders.push_back(recorder);
  return recorders;
}

template <class T>
std::vector<Recorder<T>*> RunRecords<T>::of_section() const {
  std::vector<Recorder<T>*> recorders;
  if (section_writer_) recorders.push_back(section_writer_.get());
  if (shown_section_) recorders.push_back(shown_section_.get());
  return recorders;
}

template <class T>
void RunRecords<T>::signals_state(Archive& archive) {
  if (signals_) archive("signals", *signals_);
}

template <class T>
WrittenParts RunRecords<T>::written() const {
  const auto part = [](const auto& writer) { return writer ? std::optional(writer->file().written()) : std::nullopt; };
  return {part(writer_), part(section_writer_)};
}

template <class T>
void RunRecords<T>::conclude(const std::function<std::string()>& result) {
  if (!writer_ && !section_writer_) return;
  const std::string text = result();
  for (const auto* writer : {&writer_, &section_writer_})
    if (*writer) (*writer)->file().conclude(text);
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
