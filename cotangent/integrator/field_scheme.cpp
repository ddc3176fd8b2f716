#include "cotangent/integrator/field_scheme.hpp"

#include <optional>
#include <utility>

#include "cotangent/integrator/field_integrator.hpp"
#include "cotangent/scheme/runner.hpp"
#include "cotangent/system/operation/evaluation_errors.hpp"

namespace cotangent {
namespace {

// K(x) = H(q, p) in the variables x of a formulation.
template <class T>
class EnergyInVariables {
 public:
  EnergyInVariables(System<T>& system, Formulation<T>& formulation)
      : system_(system),
        formulation_(formulation),
        inside_(system, Contraction::Of::H),
        physical_(system.n()),
        v_(physical_.q) {}

  /// @param near q and p of a point not far away.
  /// @param inside what is added up inside K, as in 1 - cos a; nothing if nobody asks.
  /// @return where there is a point to these variables.
  [[nodiscard]] Mask<T> operator()(const T* x, std::size_t n, const PhasePoint<T>& near, T& K, T* inside) {
    const T *q = x, *p = x + n;
    Mask<T> found(true);
    if (!formulation_.is_physical()) {
      own_.q.assign(q, q + n);
      own_.p.assign(p, p + n);
      own_.q_low.assign(n, T(0));
      own_.p_low = own_.q_low;
      physical_.q = near.q;
      physical_.t = near.t;
      found = formulation_.leave(own_, physical_);
      q = physical_.q.data();
      p = physical_.p.data();
    }
    const At<T> at = system_.at(q, p);
    K = at.H();
    if (inside == nullptr) return found;
    *inside = T(0);
    if (inside_.vanish()) return found;
    at.H_p(v_);
    inside_.add_to(at.with(v_), inside);
    return found;
  }

 private:
  System<T>& system_;
  Formulation<T>& formulation_;
  EvaluationErrors<T> inside_;
  OwnVariables<T> own_;
  PhasePoint<T> physical_;
  std::vector<T> v_;
};

template <class T>
class FieldScheme final : public FieldIntegrator<T> {
 public:
  FieldScheme(MethodFacts facts, scheme::WriteStep write, Manifold<T>& manifold,
              std::unique_ptr<Formulation<T>> formulation, FixedPointSolver solver)
      : FieldIntegrator<T>(std::move(facts), std::move(formulation)),
        write_(std::move(write)),
        manifold_(manifold),
        solver_(solver) {}

 private:
  [[nodiscard]] StepReport<T> step_variables(PhasePoint<T>& x, LaneOf<T> h, const Memory<T>& before,
                                             Memory<T>& after) override {
    if (!runner_ || n_ != x.q.size()) prepare(x.q.size());
    begin_ = x;
    return runner_->step(begin_, h, before, x, after);
  }
  void forget(const Mask<T>& lanes, Memory<T>& memory) const override { SchemeRunner<T>::forget(lanes, memory); }

  // Constraints that turn out to depend on others leave more variables.
  void prepare(std::size_t n) {
    n_ = n;
    Structure structure = structure_of(manifold_);
    structure.n = n;
    structure.m = 0;
    runner_ = std::make_unique<SchemeRunner<T>>(
        scheme::write_scheme(write_, structure), manifold_, solver_,
        SchemeParts<T>{.field =
                           [this, n](const T* x, const T& t, T* rates, StepReport<T>& report) {
                             this->note_failure(report, this->formulation().field({x, x + n, x + 2 * n, t}, rates,
                                                                                  rates + n, rates + 2 * n));
                           },
                       .energy =
                           [this, n](const T* x, T& K, T* inside, StepReport<T>& report) {
                             if (!energy_) energy_.emplace(manifold_.system(), this->formulation());
                             this->note_failure(report, (*energy_)(x, n, this->beginning(), K, inside));
                           }});
  }

  scheme::WriteStep write_;
  Manifold<T>& manifold_;
  FixedPointSolver solver_;
  std::size_t n_ = 0;
  std::unique_ptr<SchemeRunner<T>> runner_;
  PhasePoint<T> begin_;
  std::optional<EnergyInVariables<T>> energy_;
};

}  // namespace

template <class T>
std::unique_ptr<Integrator<T>> make_field_scheme(MethodFacts facts, scheme::WriteStep write, Manifold<T>& manifold,
                                                 std::unique_ptr<Formulation<T>> formulation, FixedPointSolver solver) {
  return std::make_unique<FieldScheme<T>>(std::move(facts), std::move(write), manifold, std::move(formulation), solver);
}

#define COTANGENT_FUNCTIONS(T)                                                                            \
  template std::unique_ptr<Integrator<T>> make_field_scheme(MethodFacts, scheme::WriteStep, Manifold<T>&, \
                                                            std::unique_ptr<Formulation<T>>, FixedPointSolver);
COTANGENT_FOR_NUMBERS(COTANGENT_FUNCTIONS)

}  // namespace cotangent
