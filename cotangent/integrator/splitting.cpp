#include "cotangent/integrator/splitting.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/integrator/take_lanes.hpp"

namespace cotangent {
namespace {

template <class T>
bool is_lagrangian(const System<T>& system) {
  return system.elements().dynamics == Dynamics::lagrangian;
}

// T_pt = 0; of L = T(v, t) - V that is T_vt.
template <class T>
bool drift_depends_on_time(System<T>& system) {
  const bool of_L = is_lagrangian(system);
  return !system.vanishes({.of = of_L ? Contraction::Of::L : Contraction::Of::H,
                           .directions = {{.q = false, .t = true}},
                           .result = of_L ? Contraction::Result::gradient_v : Contraction::Result::gradient_p});
}

// T_ppp = 0; of L = T(v) - V that is T_vvv.
template <class T>
bool is_quadratic(System<T>& system) {
  const bool of_L = is_lagrangian(system);
  const Contraction::Direction along{.q = false, .p = !of_L, .v = of_L};
  return system.diagonal_mass() ||
         system.vanishes({.of = of_L ? Contraction::Of::L : Contraction::Of::H,
                          .directions = {along, along},
                          .result = of_L ? Contraction::Result::gradient_v : Contraction::Result::gradient_p});
}

template <class T>
void expect_form(const SplittingTable& table, System<T>& system) {
  const auto refuse = [&](const char* why, const char* instead) {
    throw std::invalid_argument(fmt::format("the method '{}' is for H = {} + V(q, t), but {}; use {} instead",
                                            table.name, table.quadratic ? "p'Wp/2" : "T(p)", why, instead));
  };
  if (!system.is_separable()) refuse("H is not such a sum here", "compose:4(rattle) or gauss:2");
  if (system.elements().has_forces()) refuse("there are forces that no potential has", "compose:4(rattle) or rk4");
  if (system.elements().states > 0) refuse("there are states beside the coordinates", "compose:4(rattle) or rk4");
  if (system.has_work() && drift_depends_on_time(system))
    refuse("T depends on the time", "compose:4(rattle) or gauss:2");
  if (table.quadratic && !is_quadratic(system))
    refuse("T is not known to be quadratic in p", "blanes-moan6 or forest-ruth");
}

}  // namespace

MethodFacts splitting_facts(const SplittingTable& table) {
  return {.name = table.name,
          .kind = MethodKind::splitting,
          .description = table.description,
          .order = table.order,
          .symmetric = table.symmetric,
          .symplectic = true,
          .symplectic_off = true,
          .keeps_position = true,
          .keeps_momentum = true,
          .formulations = {"direct"},
          .applies_to = table.quadratic ? "H = p'Wp/2 + V(q), no constraints" : "H = T(p) + V(q), no constraints",
          .reference = table.reference};
}

template <class T>
Splitting<T>::Splitting(const SplittingTable& table, System<T>& system)
    : Integrator<T>(splitting_facts(table)),
      ends_with_first_force_(!table.drift_first && table.first.size() > table.second.size() && !system.has_work()),
      W_(system.has_homogeneous_mass() ? &*system.diagonal_mass() : nullptr),
      has_time_(system.has_work()),
      work_(static_cast<std::size_t>(system.elements().states)),
      system_(system),
      end_(system.n(), system.state_count()),
      force_(end_.q),
      v_(end_.q) {
  expect_form(table, system);
  Quad time = 0;
  const auto add = [&](bool is_drift, Quad length) {
    stages_.push_back({is_drift, static_cast<LaneOf<T>>(length), static_cast<LaneOf<T>>(time)});
    if (is_drift) time += length;
  };
  for (std::size_t k = 0; k < table.first.size(); ++k) {
    add(table.drift_first, table.first[k]);
    if (k < table.second.size()) add(!table.drift_first, table.second[k]);
  }
}

template <class T>
StepReport<T> Splitting<T>::step(PhasePoint<T>& z, LaneOf<T> h) {
  end_.q = z.q;
  end_.p = z.p;
  end_.s = z.s;
  end_.q_low = z.q_low;
  end_.p_low = z.p_low;
  end_.s_low = z.s_low;
  StepReport<T> report;
  bool force_is_known = ends_with_first_force_ && z.revision == known_revision_;
  known_revision_ = 0;
  for (const Stage& stage : stages_) {
    const T length(h * stage.length);
    if (stage.is_drift) {
      drift(length);
      continue;
    }
    kick(length, T(z.t + h * stage.time), force_is_known);
    report.evaluations += force_is_known ? 0 : 1;
    force_is_known = false;
  }
  report.ok = is_finite();
  const bool all_ok = all(report.ok);
  if (!all_ok) {
    report.status = StepStatus::not_finite;
    report.residual = T(infinity<T>());
    if (!any(report.ok)) return report;
    take_lanes(!report.ok, z, end_);
  }
  std::swap(z.q, end_.q);
  std::swap(z.p, end_.p);
  std::swap(z.s, end_.s);
  std::swap(z.q_low, end_.q_low);
  std::swap(z.p_low, end_.p_low);
  std::swap(z.s_low, end_.s_low);
  z.advance_time(h);
  z.revision = next_revision_();
  if (all_ok) known_revision_ = z.revision;
  return report;
}

template <class T>
void Splitting<T>::drift(const T& length) {
  const std::size_t n = end_.q.size();
  T *q = end_.q.data(), *low = end_.q_low.data();
  if (W_) {
    const T *p = end_.p.data(), *W = W_->data();
    for (std::size_t j = 0; j < n; ++j) q[j] = add_compensated(q[j], length * (W[j] * p[j]), low[j]);
    return;
  }
  system_.at(end_.q, end_.p).H_p(v_);
  for (std::size_t j = 0; j < n; ++j) q[j] = add_compensated(q[j], length * v_[j], low[j]);
}

template <class T>
void Splitting<T>::kick(const T& length, const T& t, bool force_is_known) {
  const At<T> at = system_.at(end_.q, end_.p, t);
  if (!force_is_known) at.H_q(force_);
  const std::size_t n = end_.p.size();
  T *p = end_.p.data(), *low = end_.p_low.data();
  for (std::size_t j = 0; j < n; ++j) p[j] = add_compensated(p[j], -length * force_[j], low[j]);
  if (!has_time_) return;
  end_.s[work_] = add_compensated(end_.s[work_], length * at.H_t(), end_.s_low[work_]);
}

// What is not finite on the way is not so at the end.
template <class T>
Mask<T> Splitting<T>::is_finite() const {
  T zero(0);
  for (std::size_t j = 0; j < end_.q.size(); ++j) zero += T(0) * end_.q[j] + T(0) * end_.p[j];
  for (const T& s : end_.s) zero += T(0) * s;
  return isfinite(zero);
}

COTANGENT_INSTANTIATE(NUMBERS, Splitting);

}  // namespace cotangent
