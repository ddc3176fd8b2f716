#pragma once

#include <string_view>
#include <vector>

#include "cotangent/model/model.hpp"
#include "cotangent/output/record/record_file.hpp"
#include "cotangent/run/options/plan_run.hpp"
#include "cotangent/run/options/run_plan.hpp"

namespace cotangent {

/// What a record says of its run: the text of the model, what replaced its values, and every option that makes the run
/// what it is. A run that is made of that is the same.
/// @param plan settled. @param option that names the file, out or section-out.
RecordAbout about_record(const Model& model, const RunPlan& plan, const std::vector<RecordField>& fields,
                         std::string_view option);

/// A run as a record states it.
struct RecordedModel {
  std::string name, file, text;
  std::vector<std::string> set;
  std::vector<InitialTable> tables;
  PlanWords options;
};

/// @param description of a record. @throws std::runtime_error if it does not state a run that can be made again.
RecordedModel recorded_model(const std::string& description);

}  // namespace cotangent
