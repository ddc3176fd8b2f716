#include "cotangent/run/planned_model.hpp"

#include <fmt/format.h>

#include "cotangent/run/watched_symmetries.hpp"
#include "cotangent/simulation/alternative.hpp"

namespace cotangent {
namespace {

Model alternative_of(const Model& model, const RunWords& words) {
  if (!model.alternative.valid())
    words.refuse("hamiltonian", "the model has no alternative Hamiltonian",
                 "add hamiltonian_alternative = \"...\" to [system], beside the hamiltonian");
  const AlternativeReport report = check_alternative(model);
  Model result = with_alternative(model);
  result.notes.push_back(
      fmt::format("the alternative Hamiltonian is integrated, and monitored as the energy; at {} points of the "
                  "constraint manifold it differs from H by {:.1g} at most",
                  report.points, report.energy));
  return result;
}

}  // namespace

Model planned_model(Model model, const RunPlan& plan, const RunWords& words) {
  if (plan.hamiltonian == WhichHamiltonian::alternative) model = alternative_of(model, words);
  watch_symmetries(model, plan, words);
  return model;
}

}  // namespace cotangent
