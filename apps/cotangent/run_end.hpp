#pragma once

#include <string>
#include <vector>

#include "cotangent/manifold/initial_data.hpp"
#include "cotangent/run/run_machine.hpp"
#include "cotangent/run/run_pace.hpp"
#include "cotangent/run/run_records.hpp"
#include "cotangent/simulation/summary.hpp"
#include "run_watch.hpp"

/// A run that is over, and everything that took part in it.
template <class T>
struct EndedRun {
  const cotangent::RunMachine<T>& machine;
  const cotangent::RunPace<T>& pace;
  RunWatch<T>& watch;
  const cotangent::RunRecords<T>& records;
  const cotangent::InitialData<T>& initial;  ///< z is the last point
  const std::vector<std::string>& notes;
  cotangent::Summary summary;
  double setup_seconds;
};

/// Notes of a run, before it begins, unless they go into JSON or nobody wants them.
void print_notes(const cotangent::RunPlan& plan, const cotangent::Notes& notes);

/// Draws the conclusions and prints them: the table or JSON, warnings, and what went wrong.
/// @return the exit status. @throws std::runtime_error if the summary cannot be written.
template <class T>
int end_run(EndedRun<T> run);
