#include "cotangent/monitor/watch/invariant_watch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cotangent/base/archive.hpp"
#include "cotangent/base/magnitudes.hpp"
#include "cotangent/elements/element_pieces.hpp"
#include "cotangent/manifold/redundancy.hpp"

namespace cotangent {
namespace {

std::vector<std::string> names_of(const std::vector<NamedRows>& all) {
  std::vector<std::string> names;
  for (const NamedRows& rows : all) names.push_back(rows.name);
  return names;
}

bool has_pieces(const Elements& elements) {
  Graph graph(elements.graph);
  return elements.declared || !piecewise_families(elements, graph).empty();
}

// sum |I_j| |z|, with |z| the largest number of its kind.
template <class T>
T size_of(const PhasePoint<T>& gradient, const PhasePoint<T>& z) {
  T sum(0);
  for (const auto part : {&PhasePoint<T>::q, &PhasePoint<T>::p, &PhasePoint<T>::s}) {
    const T largest = largest_of(z.*part);
    for (const T& slope : gradient.*part) sum += abs(slope) * largest;
  }
  return sum;
}

}  // namespace

void ChangingInvariant::state(Archive& archive) {
  archive("name", name);
  archive("row", row);
  archive("rate", rate);
  archive("time", time);
}

std::string describe(const ChangingInvariant& invariant) {
  return fmt::format("the equations do not keep the invariant '{}': d{}/dt = {:.3g} at t = {:.3g}", invariant.name,
                     invariant.row, invariant.rate, invariant.time);
}

template <class T>
InvariantWatch<T>::InvariantWatch(std::unique_ptr<System<T>> system)
    : system_(std::move(system)),
      manifold_(*system_),
      field_(underlying_field(manifold_)),
      declared_(*system_, names_of(system_->elements().invariant_rows)),
      along_(system_->operation(
          {.of = Contraction::Of::invariant, .directions = {{.q = true, .p = true, .v = true, .s = true, .t = true}}})),
      frame_(system_->frame()),
      flow_(system_->n(), system_->state_count()),
      gradient_(flow_),
      near_(flow_),
      v_(flow_.q),
      v_dot_(flow_.q),
      rates_(declared_.count(), T(0)),
      looks_always_(has_pieces(system_->elements())),
      schedule_(2 * system_->n() + system_->state_count()),
      sizes_(rates_),
      is_told_(system_->elements().invariant_rows.size(), false) {}

template <class T>
void InvariantWatch<T>::start(const PhasePoint<T>& z, LaneOf<T> /*h*/) {
  settle_redundancy(manifold_, z);
  begin_ = z.t;
  observe(z);
}

template <class T>
void InvariantWatch<T>::state(Archive& archive) {
  std::vector<std::int64_t> told(is_told_.begin(), is_told_.end());
  std::size_t nullity = manifold_.matrix().nullity();
  archive("nullity", nullity);
  archive("schedule", schedule_);
  archive("begin", begin_);
  archive("sizes", sizes_);
  archive("told", told);
  archive("found", found_);
  manifold_.matrix().set_nullity(nullity);
  if (told.size() != is_told_.size() || sizes_.size() != rates_.size()) archive.fail("there are other invariants");
  is_told_.assign(told.begin(), told.end());
}

template <class T>
bool InvariantWatch<T>::find_rates(const PhasePoint<T>& z) {
  if (!field_->field(z, flow_.q.data(), flow_.p.data(), flow_.s.data())) return false;
  const At<T> at = system_->at(z);
  at.H_p(v_);
  at.H_p_along(flow_.q, flow_.p, Time::moves, v_dot_);
  const T t(z.t);
  frame_.in[in::q] = z.q.data();
  frame_.in[in::p] = z.p.data();
  frame_.in[in::v] = v_.data();
  frame_.in[in::s] = z.s.data();
  frame_.in[in::t] = &t;
  frame_.in[in::a_q] = flow_.q.data();
  frame_.in[in::a_p] = flow_.p.data();
  frame_.in[in::a_v] = v_dot_.data();
  frame_.in[in::a_s] = flow_.s.data();
  frame_.out[out::result] = rates_.data();
  along_(frame_);
  return true;
}

// Sizes are those of the fastest motion so far, and are known where they matter.
template <class T>
bool InvariantWatch<T>::changes(std::size_t row, const PhasePoint<T>& z) {
  const T e = sqrt(T(epsilon<T>())), rate = abs(rates_[row]);
  if (!(rate > e * sizes_[row]) || !isfinite(rate)) return false;
  declared_.gradient(z, row, gradient_.q.data(), gradient_.p.data(), gradient_.s.data());
  sizes_[row] = max(sizes_[row], size_of(gradient_, flow_));
  declared_.start(z);
  const T value = abs(declared_.targets()[row]);
  return isfinite(value) && rate > e * sizes_[row] &&
         rate * abs(T(z.t) - T(begin_)) > e * (value + size_of(gradient_, z));
}

template <class T>
void InvariantWatch<T>::observe(const PhasePoint<T>& z) {
  if (!find_rates(z)) return;
  const auto& all = system_->elements().invariant_rows;
  bool is_on_constraints = system_->m() == 0;
  std::size_t first = 0;
  for (std::size_t k = 0; k < all.size(); first += static_cast<std::size_t>(all[k++].count)) {
    if (is_told_[k]) continue;
    for (std::size_t row = first; row < first + static_cast<std::size_t>(all[k].count); ++row) {
      if (!changes(row, is_on_constraints && system_->m() > 0 ? near_ : z)) continue;
      if (!is_on_constraints) {
        near_ = z;
        const auto position = manifold_.project_position(near_);
        if (!position.converged || !position.regular) return;
        const auto momentum = manifold_.project_momentum(near_);
        if (!momentum.converged || !momentum.regular || !find_rates(near_)) return;
        is_on_constraints = true;
        if (!changes(row, near_)) continue;
      }
      is_told_[k] = true;
      found_.push_back({all[k].name, all[k].row_name(declared_.row(row)), static_cast<double>(rates_[row]),
                        static_cast<double>(z.t)});
      break;
    }
  }
}

COTANGENT_INSTANTIATE(PRECISIONS, InvariantWatch);

}  // namespace cotangent
