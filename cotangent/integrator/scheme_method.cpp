#include "cotangent/integrator/scheme_method.hpp"

#include <stdexcept>
#include <utility>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/scheme/runner.hpp"

namespace cotangent {
namespace {

template <class T>
class SchemeIntegrator final : public Integrator<T> {
 public:
  SchemeIntegrator(MethodFacts facts, Scheme scheme, Manifold<T>& manifold)
      : Integrator<T>(std::move(facts)), runner_(std::move(scheme), manifold) {}

  [[nodiscard]] StepReport<T> step(PhasePoint<T>& z, LaneOf<T> h) override { return runner_.step(z, h); }

 private:
  SchemeRunner<T> runner_;
};

}  // namespace

template <class T>
std::unique_ptr<Integrator<T>> make_integrator(const SchemeMethod& method, Manifold<T>& manifold) {
  const Structure system = structure_of(manifold);
  if (const std::string refusal = method.refusal(system); !refusal.empty()) throw std::invalid_argument(refusal);
  return std::make_unique<SchemeIntegrator<T>>(method.facts, scheme::write_scheme(method.write, system), manifold);
}

template <class T>
MethodFamily<T> family_of(const SchemeFamily& family) {
  return {.word = family.word,
          .pattern = family.pattern,
          .members = family.members,
          .facts = [method = family.method](const MethodName& name) { return method(name).facts; },
          .make = [method = family.method](const MethodName& name, Manifold<T>& manifold, std::string_view,
                                           const FormulationOptions&,
                                           const MethodOptions&) { return make_integrator(method(name), manifold); },
          .order = family.order,
          .description = family.description};
}

#define COTANGENT_FUNCTIONS(T)                                                                         \
  template std::unique_ptr<Integrator<T>> make_integrator(const SchemeMethod&, Manifold<T>& manifold); \
  template MethodFamily<T> family_of(const SchemeFamily& family);
COTANGENT_FOR_NUMBERS(COTANGENT_FUNCTIONS)

}  // namespace cotangent
