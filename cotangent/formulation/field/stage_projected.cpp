#include <algorithm>
#include <memory>
#include <vector>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/formulation/entries.hpp"
#include "cotangent/projection/orthogonal_projection.hpp"

namespace cotangent {
namespace {

FormulationFacts facts_of(FormulationFacts facts) {
  facts.description += ", at stages that are projected to the constraints and to invariants";
  facts.hamiltonian = facts.keeps_g = facts.keeps_psi = facts.keeps_H = false;
  facts.on_position = facts.on_momentum = false;
  facts.residuals = "not held back: they wander away";
  facts.reference = "leimkuhler-reich94";
  return facts;
}

/// Stage projection: the field of another formulation, evaluated at the nearest point of the constraint manifold,
///
///   z' = f(P(z)),   P(z) the joint OrthogonalProjection of z onto g = 0, psi = 0 and, of invariants, I = I(z_n).
///
/// A Runge-Kutta method on it is, with W_i = P(Z_i),
///
///   W_i = z_n + h sum_j a_ij f(W_j) - N C(W_i)' Lambda_i,   c(W_i) = 0,   z_{n+1} = z_n + h sum_j b_j f(W_j):
///
/// constraints hold at the stages, not at the ends of steps; of the implicit midpoint rule this is midpoint projection.
/// On the manifold the field is f: the order of a method is kept, and its symmetry. It is not Hamiltonian. Nothing
/// holds a point back that is off the manifold, for f does not see that it is: what steps have added to its distance
/// stays, as a vector. In a periodic motion that goes round in a circle with it; in others it wanders away, and long
/// runs are unstable.
///
/// References: [leimkuhler-reich94, section 4]; its stability [ascher-petzold91].
template <class T>
class StageProjected final : public Formulation<T> {
 public:
  StageProjected(Manifold<T>& manifold, Metric metric, const std::vector<std::string>& invariants,
                 std::unique_ptr<Formulation<T>> field)
      : Formulation<T>(facts_of(field->facts())),
        field_(std::move(field)),
        invariants_(manifold.system(), invariants),
        project_(manifold, metric, {.g = true, .psi = true}, invariants.empty() ? nullptr : &invariants_),
        given_(manifold.system().n(), manifold.system().state_count()),
        stage_(given_) {}

  [[nodiscard]] Mask<T> field(const PointRef<T>& z, T* q_dot, T* p_dot, T* s_dot) override {
    std::copy_n(z.q, stage_.q.size(), stage_.q.begin());
    std::copy_n(z.p, stage_.p.size(), stage_.p.begin());
    std::copy_n(z.s, stage_.s.size(), stage_.s.begin());
    stage_.t = lane(z.t, 0);  // the time is the same in all lanes
    if (tally_) given_ = stage_;
    const StepReport<T> report = project_(stage_);
    if (tally_ && any(report.ok)) tally_->add(Displacement<T>::between(given_, stage_), report.ok);
    Mask<T> found(true);
    this->narrow(found, report.ok, [&](int) { return FieldFailure{report.status, report.row}; });
    if (!any(found)) return found;
    this->narrow(found, field_->field(stage_, q_dot, p_dot, s_dot), [this](int lane) { return field_->failure(lane); });
    return found;
  }

  const std::vector<T>& multipliers() const override { return field_->multipliers(); }
  void set_step(LaneOf<T> h) override {
    project_.set_step(h);
    field_->set_step(h);
  }
  void begin_step(const PhasePoint<T>& z, const OwnVariables<T>& own) override {
    invariants_.start(z);
    field_->begin_step(z, own);
  }
  void count_projections(ProjectionTally<T>* tally) override { tally_ = tally; }
  std::int64_t size() const override { return field_->size(); }

 private:
  std::unique_ptr<Formulation<T>> field_;
  KeptInvariants<T> invariants_;
  OrthogonalProjection<T> project_;
  PhasePoint<T> given_, stage_;
  ProjectionTally<T>* tally_ = nullptr;
};

}  // namespace

template <class T>
std::unique_ptr<Formulation<T>> at_projected_stages(Manifold<T>& manifold, Metric metric,
                                                    const std::vector<std::string>& invariants,
                                                    std::unique_ptr<Formulation<T>> field) {
  return std::make_unique<StageProjected<T>>(manifold, metric, invariants, std::move(field));
}

#define COTANGENT_FUNCTIONS(T)                                                                                        \
  template std::unique_ptr<Formulation<T>> at_projected_stages(Manifold<T>&, Metric, const std::vector<std::string>&, \
                                                               std::unique_ptr<Formulation<T>>);
COTANGENT_FOR_NUMBERS(COTANGENT_FUNCTIONS)

}  // namespace cotangent
