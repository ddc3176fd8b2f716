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
  SchemeIntegrator(MethodFacts facts, Scheme scheme, Manifold<T>& manifold, FixedPointSolver solver,
                   std::unique_ptr<Integrator<T>> inner)
      : Integrator<T>(std::move(facts)),
        inner_(std::move(inner)),
        runner_(std::move(scheme), manifold, solver,
                {.inner = [this](const Point<T>& z, LaneOf<T> h, Point<T>& end) { return inner_->step(z, h, end); }}) {}

  void count_projections(ProjectionTally<T>* tally) override {
    tally_ = tally;
    if (inner_) inner_->count_projections(tally);
  }

 private:
  [[nodiscard]] StepReport<T> make_step(const Point<T>& z, LaneOf<T> h, Point<T>& end) override {
    const StepReport<T> report = runner_.step(z, h, z.memory(this->id()), end.adjust(), end.remember(this->id()));
    if (tally_ && any(report.ok)) count_shift(report.ok);
    return report;
  }

  void count_shift(const Mask<T>& ok) {
    if (runner_.shift(0).empty()) return;
    Displacement<T> moved;
    for (const T& d : runner_.shift(0)) moved.q = max(moved.q, abs(d));
    for (const T& d : runner_.shift(1)) moved.p = max(moved.p, abs(d));
    tally_->add(moved, ok);
  }

  std::unique_ptr<Integrator<T>> inner_;
  SchemeRunner<T> runner_;
  ProjectionTally<T>* tally_ = nullptr;
};

}  // namespace

SchemeFamily plain_family(SchemeMethod method) {
  const std::string name = method.facts.name;
  return {.word = name,
          .pattern = name,
          .members = {name},
          .method = [method = std::move(method)](const MethodName& given) {
            expect_plain(given);
            return method;
          }};
}

template <class T>
std::unique_ptr<Integrator<T>> make_integrator(const SchemeMethod& method, Manifold<T>& manifold,
                                               const MethodOptions& options, std::unique_ptr<Integrator<T>> inner) {
  const Structure system = structure_of(manifold);
  if (const std::string refusal = method.refusal(system); !refusal.empty()) throw std::invalid_argument(refusal);
  return std::make_unique<SchemeIntegrator<T>>(method.facts, scheme::write_scheme(method.write, system), manifold,
                                               options.solver, std::move(inner));
}

template <class T>
MethodFamily<T> family_of(const SchemeFamily& family) {
  return {.word = family.word,
          .pattern = family.pattern,
          .members = family.members,
          .facts = [method = family.method](const MethodName& name) { return method(name).facts; },
          .make =
              [method = family.method](const MethodName& name, const MethodRequest<T>& request) {
                return make_integrator(method(name), request.manifold, request.options);
              },
          .order = family.order,
          .description = family.description};
}

#define COTANGENT_FUNCTIONS(T)                                                                                     \
  template std::unique_ptr<Integrator<T>> make_integrator(const SchemeMethod&, Manifold<T>&, const MethodOptions&, \
                                                          std::unique_ptr<Integrator<T>>);                         \
  template MethodFamily<T> family_of(const SchemeFamily& family);
COTANGENT_FOR_NUMBERS(COTANGENT_FUNCTIONS)

}  // namespace cotangent
