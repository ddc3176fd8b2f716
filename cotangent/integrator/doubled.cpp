#include "cotangent/integrator/doubled.hpp"

#include <utility>

namespace cotangent {
namespace {

MethodFacts doubled_facts(MethodFacts facts) {
  facts.error_order = facts.order + 1;
  return facts;
}

}  // namespace

template <class T>
Doubled<T>::Doubled(std::unique_ptr<Integrator<T>> method)
    : Integrator<T>(doubled_facts(method->facts())), method_(std::move(method)) {}

template <class T>
StepReport<T> Doubled<T>::make_step(const Point<T>& z, LaneOf<T> h, Point<T>& end) {
  if (estimate_) return (*estimate_)(z, h, end);
  end = z;
  std::int64_t done = 0;
  return method_->advance(end, h / LaneOf<T>(2), 2, done);
}

template <class T>
std::unique_ptr<Integrator<T>> with_estimate(std::unique_ptr<Integrator<T>> method) {
  if (method->facts().error_order > 0) return method;
  return std::make_unique<Doubled<T>>(std::move(method));
}

COTANGENT_INSTANTIATE(TRAJECTORIES, Doubled);

#define COTANGENT_FUNCTIONS(T) template std::unique_ptr<Integrator<T>> with_estimate(std::unique_ptr<Integrator<T>>);
COTANGENT_FOR_TRAJECTORIES(COTANGENT_FUNCTIONS)

}  // namespace cotangent
