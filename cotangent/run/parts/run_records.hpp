#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cotangent/output/record/record_writer.hpp"
#include "cotangent/output/run_report.hpp"
#include "cotangent/output/signal_recorder.hpp"
#include "cotangent/report/page_record.hpp"
#include "cotangent/run/parts/run_watch.hpp"

namespace cotangent {

/// How much of the files of a run is written; nothing of files that there are not.
struct WrittenParts {
  std::optional<WrittenPart> out, section_out;
};

/// The records of a run: files, the signals whose periodograms are asked for, and what is shown on a page.
template <class T>
class RunRecords final : private Recorder<T> {
 public:
  /// Opens the files. All outlive this. @param after what a run that goes on has written of them.
  /// @param z where the run begins. @param notes are added for what is not shown.
  /// @throws ModelError for files that cannot be written and signals that there are not.
  RunRecords(const RunMachine<T>& machine, RunWatch<T>& watch, const PhasePoint<T>& z, const WrittenParts& after,
             Notes& notes);

  /// More of them. @pre outlives this
  void add(Recorder<T>* recorder) { all_.push_back(recorder); }

  /// For the time loop; a null pointer if nothing is kept.
  Recorder<T>* recorder() { return all_.empty() && !section_writer_ ? nullptr : this; }

  /// Takes the signals so far from a checkpoint, or puts them there.
  void signals_state(Archive& archive);

  WrittenParts written() const;

  /// After the run: the files say how it ended. @param result a JSON object. @throws std::runtime_error
  void conclude(const std::function<std::string()>& result);

  std::vector<NamedPeriodogram> periodograms() const;

  /// Of a run that is shown, and of its section; null pointers if they are not.
  const PageRecord<T>* shown() const { return shown_.get(); }
  const PageRecord<T>* shown_section() const { return shown_section_.get(); }

 private:
  void record(const PhasePoint<T>& z, const MonitorSet<T>& monitors) override;
  void record_step(const Point<T>& z, const MonitorSet<T>& monitors) override;
  void flush() override;
  void finish() override;
  std::vector<Recorder<T>*> of_section() const;
  std::vector<Recorder<T>*> with_section() const;

  std::unique_ptr<SignalRecorder<T>> signals_;
  std::unique_ptr<RecordWriter<T>> writer_, section_writer_;
  std::unique_ptr<PageRecord<T>> shown_, shown_section_;
  MonitorSet<T> no_monitors_;  // the section is not monitored
  std::vector<Recorder<T>*> all_;
};

}  // namespace cotangent
