#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "cotangent/output/csv_writer.hpp"
#include "cotangent/output/run_report.hpp"
#include "cotangent/output/signal_recorder.hpp"
#include "resumption.hpp"
#include "run_machine.hpp"
#include "run_watch.hpp"

/// What a run keeps of its trajectory: files, and the signals whose periodograms are asked for.
template <class T>
class RunRecords {
 public:
  /// Opens the files. All outlive this. @param resumption the run that goes on, with its files; or a null pointer.
  /// @throws cotangent::ModelError for files that cannot be written and signals that there are not.
  RunRecords(const RunMachine<T>& machine, RunWatch<T>& watch, const Resumption* resumption);

  /// For the time loop; a null pointer if nothing is kept.
  cotangent::Recorder<T>* recorder() { return recorders_.empty() ? nullptr : &recorders_; }

  /// Takes the signals so far from a checkpoint, or puts them there.
  void signals_state(cotangent::Archive& archive);

  /// How much of the files is written.
  std::optional<WrittenFile> out();
  std::optional<WrittenFile> section_out();

  std::vector<cotangent::NamedPeriodogram> periodograms() const;

 private:
  const RunOptions& options_;
  PoincareSection<T>& section_;
  std::unique_ptr<cotangent::SignalRecorder<T>> signals_;
  std::unique_ptr<cotangent::CsvWriter<T>> writer_;
  cotangent::Recorders<T> recorders_;
};
