#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/elements/refusal.hpp"
#include "cotangent/manifold/initial_values.hpp"
#include "cotangent/solve/iteration/stopping.hpp"

namespace cotangent {
namespace {

template <class T>
T inner(const std::vector<T>& a, const std::vector<T>& b) {
  T sum(0);
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

template <class T>
void add_multiple(std::vector<T>& x, const T& factor, const std::vector<T>& y) {
  for (std::size_t i = 0; i < x.size(); ++i) x[i] += factor * y[i];
}

template <class T>
class MomentaOfVelocities {
 public:
  MomentaOfVelocities(const Model& model, System<T>& system, const InitialValues<T>& given)
      : model_(model),
        system_(system),
        given_(given),
        residual_(given.q.size()),
        direction_(given.q.size()),
        trial_(given.q.size()),
        velocity_(given.q.size()),
        product_(given.q.size()) {}

  void solve(const std::vector<T>& q, std::vector<T>& p) {
    q_ = &q;
    T norm = residual(p);
    RoundingStop<T> stop({.max_iterations = 200, .max_stalls = 50});
    while (stop.update(norm, epsilon<T>() * scale_)) {
      find_direction(p);
      const T before = squares_;
      T s(1);
      for (int halvings = 0; halvings < 40; ++halvings, s /= 2) {
        trial_ = p;
        add_multiple(trial_, s, direction_);
        norm = residual(trial_);
        if (squares_ < before) break;
      }
      if (!(squares_ < before)) {  // nothing is gained: either rounding error is reached, or no momentum fits
        static_cast<void>(stop.update(residual(p), epsilon<T>() * scale_));
        break;
      }
      p = trial_;
    }
    if (!all(stop.converged())) fail(p);
  }

 private:
  // r = v - H_p, its largest entry, the sum of its squares and the size of what it is the difference of.
  T residual(const std::vector<T>& p) {
    const At<T> at = system_.at(*q_, p, given_.t);
    at.H_p(velocity_);
    at.H_pp_times(p, product_);  // H_p may be a difference of larger numbers, p - A(q)
    T norm(0);
    scale_ = squares_ = T(0);
    for (std::size_t i = 0; i < p.size(); ++i) {
      residual_[i] = given_.by_velocity[i] ? given_.v[i] - velocity_[i] : T(0);
      squares_ += residual_[i] * residual_[i];
      norm = isfinite(residual_[i]) ? max(norm, abs(residual_[i])) : infinity<T>();
      if (given_.by_velocity[i]) scale_ = max(scale_, abs(given_.v[i]) + abs(velocity_[i]) + abs(product_[i]));
    }
    return norm;
  }

  void find_direction(const std::vector<T>& p) {
    if (const auto& mass = system_.diagonal_mass()) {
      for (std::size_t i = 0; i < p.size(); ++i) direction_[i] = (*mass)[i] != T(0) ? residual_[i] / (*mass)[i] : T(0);
    } else {
      minimal_residuals(system_.at(*q_, p, given_.t));
    }
  }

  // y = H_pp x on the entries that are sought.
  void multiply(const At<T>& at, const std::vector<T>& x, std::vector<T>& y) {
    at.H_pp_times(x, y);
    for (std::size_t i = 0; i < y.size(); ++i)
      if (!given_.by_velocity[i]) y[i] = T(0);
  }

  // Directions a with b = H_pp a, the b orthogonal to each other; each takes out of r its part along b.
  void minimal_residuals(const At<T>& at) {
    const std::size_t n = residual_.size();
    std::vector<T> r = residual_, a0 = r, b0(n), a1(n), b1(n), a2(n), b2(n);
    std::fill(direction_.begin(), direction_.end(), T(0));
    multiply(at, a0, b0);
    const T goal = inner(r, r) * T(1e-16);
    const std::size_t most = 3 * n + 10;
    for (std::size_t k = 0; k < most; ++k) {
      a2.swap(a1), b2.swap(b1);
      a1.swap(a0), b1.swap(b0);
      const T b1b1 = inner(b1, b1);
      if (!(b1b1 > T(0))) return;
      const T alpha = inner(r, b1) / b1b1;
      add_multiple(direction_, alpha, a1);
      add_multiple(r, -alpha, b1);
      if (inner(r, r) <= goal) return;
      a0 = b1;
      multiply(at, a0, b0);
      const T beta1 = inner(b0, b1) / b1b1;
      add_multiple(a0, -beta1, a1);
      add_multiple(b0, -beta1, b1);
      if (k == 0) continue;
      const T beta2 = inner(b0, b2) / inner(b2, b2);
      add_multiple(a0, -beta2, a2);
      add_multiple(b0, -beta2, b2);
    }
  }

  [[noreturn]] void fail(const std::vector<T>& p) {
    static_cast<void>(residual(p));
    std::size_t worst = 0;
    for (std::size_t i = 0; i < p.size(); ++i)
      if (!(abs(residual_[i]) <= abs(residual_[worst]))) worst = i;
    const auto entry = static_cast<std::int64_t>(worst);
    const std::string name = entry_name(model_, entry);
    throw refusal(model_, velocity_place(entry),
                  fmt::format("no momenta were found for the initial velocities: v_{} = {:g} was given, the nearest "
                              "that H allows is off by {:.3g}",
                              name, static_cast<double>(given_.v[worst]), static_cast<double>(abs(residual_[worst]))),
                  fmt::format("give p_{} instead, or check that H depends on it", name));
  }

  Location velocity_place(std::int64_t entry) const {
    for (const Coordinate& c : model_.coordinates)
      if (entry >= c.offset && entry < c.offset + c.size())
        return assignment_text(model_, model_.initial, c.v, c.shape, entry - c.offset).where;
    return {};
  }

  const Model& model_;
  System<T>& system_;
  const InitialValues<T>& given_;
  const std::vector<T>* q_ = nullptr;
  std::vector<T> residual_, direction_, trial_, velocity_, product_;
  T scale_ = T(0), squares_ = T(0);
};

// p = L_v(q, v) of the L that was stated: what was added to make it regular counts only where velocities are
// consistent.
template <class T>
void evaluate_L_v(const Elements& elements, const std::vector<T>& q, const InitialValues<T>& given, std::vector<T>& p) {
  auto stated = std::make_shared<Elements>(elements);
  // As a dissipation, a function whose gradient by v can be asked for even where L is singular.
  stated->dissipation = std::move(stated->energy);
  stated->dissipation.resize(stated->dissipation.size() - static_cast<std::size_t>(elements.added_energy));
  stated->energy.clear();
  stated->dynamics = Dynamics::hamiltonian;
  System<T> system(stated, Backend::interpreter);
  system.at(q, given.t).with(given.v).D_v(p);
}

}  // namespace

template <class T>
void solve_momenta(const Model& model, System<T>& system, const InitialValues<T>& given, const std::vector<T>& q,
                   std::vector<T>& p) {
  if (std::none_of(given.by_velocity.begin(), given.by_velocity.end(), [](char c) { return c != 0; })) return;
  if (system.legendre() && given.all_by_velocity()) return evaluate_L_v(system.elements(), q, given, p);
  MomentaOfVelocities<T>(model, system, given).solve(q, p);
}

#define COTANGENT_FUNCTIONS(T)                                                                          \
  template void solve_momenta(const Model&, System<T>&, const InitialValues<T>&, const std::vector<T>&, \
                              std::vector<T>&);
COTANGENT_FOR_PRECISIONS(COTANGENT_FUNCTIONS)

}  // namespace cotangent
