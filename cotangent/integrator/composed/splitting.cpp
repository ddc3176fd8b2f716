#include "cotangent/integrator/composed/splitting.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/base/wording.hpp"
#include "cotangent/integrator/families.hpp"
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
std::unique_ptr<Integrator<T>> make_splitting(const MethodName& name, const MethodRequest<T>& request) {
  const SplittingTable table = splitting_table(name);
  if (request.manifold.system().m() > 0)
    throw std::invalid_argument(fmt::format(
        "the method '{}' is for systems without constraints, and this one has {}; use rattle, compose:{}(rattle) "
        "or reich({}) instead",
        table.name, plural(static_cast<std::size_t>(request.manifold.system().m()), "constraint"),
        std::max(table.order, 4) + table.order % 2, table.name));
  return std::make_unique<Splitting<T>>(table, request.manifold.system());
}

}  // namespace

template <class T>
Splitting<T>::Splitting(const SplittingTable& table, System<T>& system)
    : Integrator<T>(splitting_facts(table)),
      ends_with_first_force_(!table.drift_first && table.first.size() > table.second.size() && !system.has_work()),
      W_(system.has_homogeneous_mass() ? &*system.diagonal_mass() : nullptr),
      has_time_(system.has_work()),
      work_(static_cast<std::size_t>(system.elements().states)),
      system_(system),
      force_(static_cast<std::size_t>(system.n()), T(0)),
      v_(force_) {
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

// What is remembered is the force, where the last kick is at the end of the step.
template <class T>
StepReport<T> Splitting<T>::make_step(const Point<T>& z, LaneOf<T> h, Point<T>& end) {
  PhasePoint<T>& Z = end.adjust();
  Z = z;
  StepReport<T> report;
  const Memory<T>& before = z.memory(this->id());
  const std::vector<T>* known = before.depth > 0 ? &before.numbers[0] : nullptr;
  for (const Stage& stage : stages_) {
    const T length(h * stage.length);
    if (stage.is_drift) {
      drift(length, Z);
      continue;
    }
    const T t(z->t + h * stage.time);
    if (!known) {
      system_.at(Z.q, Z.p, t).H_q(force_);
      ++report.evaluations;
    }
    kick(length, t, known ? *known : force_, Z);
    known = nullptr;
  }
  report.ok = is_finite(Z);
  if (!all(report.ok)) {
    report.status = StepStatus::not_finite;
    report.residual = T(infinity<T>());
    take_lanes(!report.ok, z.state(), Z);
  } else if (ends_with_first_force_) {
    Memory<T>& after = end.remember(this->id());
    after.lay_out({force_.size()});
    std::swap(after.numbers[0], force_);
    after.depth = 1;
  }
  Z.advance_time(h);
  return report;
}

template <class T>
void Splitting<T>::drift(const T& length, PhasePoint<T>& z) {
  const std::size_t n = z.q.size();
  T *q = z.q.data(), *low = z.q_low.data();
  if (W_) {
    const T *p = z.p.data(), *W = W_->data();
    for (std::size_t j = 0; j < n; ++j) q[j] = add_compensated(q[j], length * (W[j] * p[j]), low[j]);
    return;
  }
  system_.at(z.q, z.p).H_p(v_);
  for (std::size_t j = 0; j < n; ++j) q[j] = add_compensated(q[j], length * v_[j], low[j]);
}

template <class T>
void Splitting<T>::kick(const T& length, const T& t, const std::vector<T>& force, PhasePoint<T>& z) {
  const std::size_t n = z.p.size();
  T *p = z.p.data(), *low = z.p_low.data();
  for (std::size_t j = 0; j < n; ++j) p[j] = add_compensated(p[j], -length * force[j], low[j]);
  if (!has_time_) return;
  z.s[work_] = add_compensated(z.s[work_], length * system_.at(z.q, z.p, t).H_t(), z.s_low[work_]);
}

// What is not finite on the way is not so at the end.
template <class T>
Mask<T> Splitting<T>::is_finite(const PhasePoint<T>& z) {
  T zero(0);
  for (std::size_t j = 0; j < z.q.size(); ++j) zero += T(0) * z.q[j] + T(0) * z.p[j];
  for (const T& s : z.s) zero += T(0) * s;
  return isfinite(zero);
}

template <class T>
std::vector<MethodFamily<T>> splitting_families() {
  std::vector<MethodFamily<T>> families;
  const auto add = [&](const std::string& word, const std::string& pattern, std::vector<std::string> members) {
    families.push_back({.word = word,
                        .pattern = pattern,
                        .members = std::move(members),
                        .facts = [](const MethodName& name) { return splitting_facts(splitting_table(name)); },
                        .make = make_splitting<T>});
  };
  for (const char* word : {"stormer-verlet", "ruth3", "forest-ruth", "blanes-moan4", "blanes-moan6"}) {
    add(word, std::string(word) + "[:kick]", {word, std::string(word) + ":kick"});
  }
  add("blanes-moan-rkn4", "blanes-moan-rkn4", {"blanes-moan-rkn4"});
  add("blanes-moan-rkn6", "blanes-moan-rkn6[:11|14]", {"blanes-moan-rkn6", "blanes-moan-rkn6:11"});
  return families;
}

COTANGENT_INSTANTIATE(NUMBERS, Splitting);
#define COTANGENT_FUNCTIONS(T) template std::vector<MethodFamily<T>> splitting_families();
COTANGENT_FOR_NUMBERS(COTANGENT_FUNCTIONS)

}  // namespace cotangent
