#include "cotangent/integrator/field_scheme.hpp"

#include <optional>
#include <utility>

#include "cotangent/integrator/energy_in_variables.hpp"
#include "cotangent/integrator/field_integrator.hpp"
#include "cotangent/scheme/runner.hpp"

namespace cotangent {
namespace {

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
