#include "cotangent/formulation/stage_projected.hpp"

#include <algorithm>

#include "cotangent/base/instantiate.hpp"

namespace cotangent {
namespace {

FormulationFacts facts_of(FormulationFacts facts) {
  facts.description += ", at stages that are projected to the constraints";
  facts.hamiltonian = facts.keeps_g = facts.keeps_psi = facts.keeps_H = false;
  facts.on_position = facts.on_momentum = false;
  facts.residuals = "not held back: they wander away";
  facts.reference = "leimkuhler-reich94";
  return facts;
}

FieldCause cause_of(StepStatus status) {
  return status == StepStatus::singular_constraints ? FieldCause::singular_constraints
         : status == StepStatus::not_finite         ? FieldCause::not_finite
                                                    : FieldCause::projection;
}

}  // namespace

template <class T>
StageProjected<T>::StageProjected(Manifold<T>& manifold, Metric metric, std::unique_ptr<Formulation<T>> field)
    : Formulation<T>(facts_of(field->facts())),
      field_(std::move(field)),
      project_(manifold, metric, {.g = true, .psi = true}),
      given_(manifold.system().n(), manifold.system().state_count()),
      stage_(given_) {}

template <class T>
Mask<T> StageProjected<T>::field(const PointRef<T>& z, T* q_dot, T* p_dot, T* s_dot) {
  std::copy_n(z.q, stage_.q.size(), stage_.q.begin());
  std::copy_n(z.p, stage_.p.size(), stage_.p.begin());
  std::copy_n(z.s, stage_.s.size(), stage_.s.begin());
  stage_.t = lane(z.t, 0);  // the time is the same in all lanes
  if (tally_) given_ = stage_;
  const StepReport<T> report = project_(stage_);
  if (tally_ && any(report.ok)) tally_->add(Displacement<T>::between(given_, stage_), report.ok);
  Mask<T> found(true);
  this->narrow(found, report.ok, [&](int) { return FieldFailure{cause_of(report.status), report.row}; });
  if (!any(found)) return found;
  this->narrow(found, field_->field(stage_, q_dot, p_dot, s_dot), [this](int lane) { return field_->failure(lane); });
  return found;
}

COTANGENT_INSTANTIATE(NUMBERS, StageProjected);

}  // namespace cotangent
