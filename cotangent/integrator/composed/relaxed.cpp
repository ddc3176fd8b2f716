#include "cotangent/integrator/composed/relaxed.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <type_traits>

#include "cotangent/base/instantiate.hpp"

namespace cotangent {
namespace {

template <class T>
void expect_to_be_relaxed(System<T>& system, const ProjectionPolicy& policy) {
  const auto refuse = [](const char* why) {
    throw std::invalid_argument(std::string("the projection 'relaxation' ") + why);
  };
  if (lane_count < T >> 1) refuse("gives every trajectory its own time, and those of a batch share theirs");
  if (policy.invariants.empty()) refuse("keeps invariants: name some, or declare them in [invariants]");
  if (policy.every != 1 || policy.above) refuse("is part of every step: it takes neither every=K nor above=EPS");
  const Elements& elements = system.elements();
  if (elements.m > 0) refuse("would leave the constraints: use 'joint', which meets these as well");
  if (elements.depends_on(elements.invariants, Space::t) || !elements.is_autonomous())
    refuse("moves the time, and takes no invariants with the time in them: use 'joint'");
  const bool has_energy =
      std::find(policy.invariants.begin(), policy.invariants.end(), "energy") != policy.invariants.end();
  if (has_energy && system.has_work()) refuse("takes no energy that is balanced with the work of forces: use 'joint'");
}

template <class T>
KeptInvariants<T> kept(System<T>& system, const ProjectionPolicy& policy) {
  expect_to_be_relaxed(system, policy);
  return KeptInvariants<T>(system, policy.invariants);
}

// Those whose gradients are not the same everywhere. The others are linear, and methods keep them by themselves.
template <class T>
std::size_t count_nonlinear(KeptInvariants<T>& invariants, const System<T>& system) {
  PhasePoint<T> z(system.n(), system.state_count());
  std::vector<T> gradient(z.q.size() + z.p.size() + z.s.size()), other = gradient;
  const auto find = [&](std::size_t row, int first, std::vector<T>& dI) {
    int k = first;
    for (auto* x : {&z.q, &z.p, &z.s})
      for (T& number : *x) number = T(std::sqrt(++k));
    invariants.gradient(z, row, dI.data(), dI.data() + z.q.size(), dI.data() + 2 * z.q.size());
  };
  std::size_t count = 0;
  for (std::size_t row = 0; row < invariants.count(); ++row) {
    find(row, 1, gradient);
    find(row, 4, other);
    const auto is_same = [](const T& a, const T& b) { return all(a == b); };
    if (!std::equal(gradient.begin(), gradient.end(), other.begin(), is_same)) ++count;
  }
  return count;
}

}  // namespace

template <class T>
Relaxed<T>::Relaxed(MethodFacts facts, Manifold<T>& manifold, const ProjectionPolicy& policy,
                    std::unique_ptr<Integrator<T>> method)
    : Integrator<T>(std::move(facts)),
      method_(std::move(method)),
      invariants_(kept(manifold.system(), policy)),
      count_(invariants_.count() > 1 ? std::max<std::size_t>(1, method_->embedded_count()) : 1),
      relaxation_(invariants_, count_,
                  static_cast<std::size_t>(2 * manifold.system().n() + manifold.system().state_count())),
      nearest_(manifold, policy.metric, {}, &invariants_) {
  if (method_->facts().order < 2)
    throw std::invalid_argument(
        fmt::format("'{}' cannot be relaxed: with order 1 the steps would not tend to those of the method; use heun or "
                    "rk4",
                    method_->facts().name));
  if (invariants_.count() == 1 || count_ > 1) return;
  if (const std::size_t nonlinear = count_nonlinear(invariants_, manifold.system()); nonlinear > 1)
    throw std::invalid_argument(
        fmt::format("the steps of '{}' can be relaxed for one invariant that is not linear, not for {}: more take an "
                    "explicit Runge-Kutta method with three stages or more, such as dopri5, or rk4 with fixed steps",
                    method_->facts().name, nonlinear));
}

template <class T>
void Relaxed<T>::begin(Point<T>& z) {
  method_->begin(z);
  auto& numbers = z.trajectory().numbers;
  numbers.resize(place_);
  invariants_.start(z.state());
  numbers.insert(numbers.end(), invariants_.targets().begin(), invariants_.targets().end());
}

template <class T>
StepReport<T> Relaxed<T>::make_step(const Point<T>& z, LaneOf<T> h, Point<T>& end) {
  if (z.trajectory().numbers.size() <= place_) {
    first_ = z;
    begin(first_);
    return make_step(first_, h, end);
  }
  StepReport<T> report = method_->step(z, h, end);
  if (!all(report.ok) || any(report.error > T(1))) return report;
  T* d = relaxation_.direction(0);
  for (const auto& [part, lost] : {std::pair{&PhasePoint<T>::q, &PhasePoint<T>::q_low},
                                   {&PhasePoint<T>::p, &PhasePoint<T>::p_low},
                                   {&PhasePoint<T>::s, &PhasePoint<T>::s_low}}) {
    const PhasePoint<T>&from = z.state(), &to = end.state();
    for (std::size_t j = 0; j < (from.*part).size(); ++j)
      *d++ = ((to.*part)[j] - (from.*part)[j]) + ((to.*lost)[j] - (from.*lost)[j]);
  }
  if (method_->embedded_count() > 0) method_->embedded(0, relaxation_.bend());
  for (std::size_t k = 1; k < count_; ++k) method_->embedded(k, relaxation_.direction(k));
  if (tally_) before_ = end.state();
  std::copy_n(z.trajectory().numbers.begin() + static_cast<std::ptrdiff_t>(place_), invariants_.count(),
              invariants_.targets().begin());
  const StepReport<T> relaxed = relax(h, end.adjust());
  report.iterations += relaxed.iterations;
  if (relaxed.status != StepStatus::ok) {
    report.status = relaxed.status;
    report.ok = relaxed.ok;
    report.residual = relaxed.residual;
    report.tolerance = relaxed.tolerance;
    report.row = relaxed.row;
    report.in_projection = true;
    return report;
  }
  if (relaxed.iterations > 0) end.forget();
  if (tally_) count(end.state());
  return report;
}

template <class T>
StepReport<T> Relaxed<T>::relax(LaneOf<T> h, PhasePoint<T>& Z) {
  const StepReport<T> relaxed = relaxation_(h, Z);
  has_fallen_back_ = false;
  // Steps without a root are too few to be worth code of their own.
  if (all(relaxed.ok) || std::is_same_v<T, Traced>) return relaxed;
  nearest_.set_step(h);
  StepReport<T> nearest = nearest_(Z);
  nearest.iterations += relaxed.iterations;
  has_fallen_back_ = !relaxation_.is_rounding();
  if (all(nearest.ok) || has_fallen_back_) return nearest;
  return {.iterations = nearest.iterations, .residual = relaxed.residual, .tolerance = relaxed.tolerance};
}

template <class T>
void Relaxed<T>::count(const PhasePoint<T>& Z) {
  tally_->add(Displacement<T>::between(before_, Z), Mask<T>(true));
  RelaxationTally<T>& tally = tally_->relaxation;
  ++tally.points;
  tally.change = max(tally.change, relaxation_.change());
  if (has_fallen_back_ && tally.fallbacks++ == 0) tally.first_fallback = static_cast<double>(lane(Z.t, 0));
}

COTANGENT_INSTANTIATE(NUMBERS, Relaxed);

}  // namespace cotangent
