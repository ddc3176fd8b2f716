#include "cotangent/projection/kept_invariants.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/base/unknown_name.hpp"

namespace cotangent {
namespace {

// The energy, with the row after those of the model, and the latter.
std::vector<NamedRows> named_rows(const Elements& elements) {
  std::vector<NamedRows> rows{{.name = "energy", .first = 0, .count = 1, .indices = {}}};
  for (const NamedRows& named : elements.invariant_rows) {
    rows.front().first += named.count;
    rows.push_back(named);
  }
  return rows;
}

}  // namespace

template <class T>
KeptInvariants<T>::KeptInvariants(System<T>& system, const std::vector<std::string>& names) : system_(system) {
  const auto known = named_rows(system.elements());
  for (auto name = names.begin(); name != names.end(); ++name) {
    if (std::find(names.begin(), name, *name) != name)
      throw std::invalid_argument(fmt::format("the invariant '{}' is named twice", *name));
    // A model may have one that it calls energy.
    const auto found = std::ranges::find(known.rbegin(), known.rend(), *name, &NamedRows::name);
    if (found == known.rend()) {
      std::vector<std::string> known_names;
      for (const NamedRows& named : known) known_names.push_back(named.name);
      throw UnknownName("invariant", *name, known_names);
    }
    const bool is_energy = found->first == energy_row_;
    if (is_energy && system.n() == 0)
      throw std::invalid_argument(
          "the system has no Hamiltonian and so no energy to return to; declare what is kept in [invariants]");
    has_declared_ = has_declared_ || !is_energy;
    for (std::int64_t k = 0; k < found->count; ++k) rows_.push_back(found->first + k);
  }
  targets_.assign(rows_.size(), T(0));
}

template <class T>
std::string KeptInvariants<T>::row_name(const Elements& elements, std::int64_t row) {
  for (const NamedRows& named : named_rows(elements))
    if (row >= named.first && row < named.first + named.count) return named.row_name(row);
  return {};
}

template <class T>
At<T> KeptInvariants<T>::at(const PointRef<T>& z) {
  const At<T> at = system_.at(z);
  if (!has_declared_ || !uses_v_) return at;
  at.H_p(v_);
  return at.with(v_);
}

template <class T>
void KeptInvariants<T>::values(const PointRef<T>& z, T* values) {
  const At<T> here = at(z);
  if (has_declared_) here.invariants(all_);
  for (std::size_t k = 0; k < rows_.size(); ++k) {
    if (rows_[k] == energy_row_) {
      values[k] = here.H();
      if (system_.has_work()) values[k] -= z.s[system_.state_count() - 1];
    } else {
      values[k] = all_[static_cast<std::size_t>(rows_[k])];
    }
  }
}

template <class T>
void KeptInvariants<T>::excess(const PointRef<T>& z, T* excess) {
  values(z, excess);
  for (std::size_t k = 0; k < rows_.size(); ++k) excess[k] -= targets_[k];
}

template <class T>
void KeptInvariants<T>::gradient(const PointRef<T>& z, std::size_t k, T* by_q, T* by_p, T* by_s) {
  const At<T> here = at(z);
  std::fill_n(by_s, system_.state_count(), T(0));
  if (rows_[k] == energy_row_) {
    here.H_q(by_q);
    here.H_p(by_p);
    return;
  }
  const auto row = static_cast<std::size_t>(rows_[k]);
  weights_[row] = T(1);
  if (system_.n() > 0) {
    here.I_q(weights_, by_q);
    here.I_p(weights_, by_p);
    if (uses_v_) add_chain_rule(here, by_q, by_p);
  }
  if (!by_states_.empty()) {
    here.I_s(weights_, by_states_);
    std::copy(by_states_.begin(), by_states_.end(), by_s);
  }
  weights_[row] = T(0);
}

template <class T>
void KeptInvariants<T>::add_chain_rule(const At<T>& here, T* by_q, T* by_p) {
  here.I_v(weights_, gradient_);
  here.H_pp_times(gradient_, turned_);
  for (std::size_t j = 0; j < turned_.size(); ++j) by_p[j] += turned_[j];
  if (system_.is_separable()) return;
  here.H_qp_times(gradient_, turned_);
  for (std::size_t j = 0; j < turned_.size(); ++j) by_q[j] += turned_[j];
}

std::vector<std::string> declared_invariants(const Elements& elements) {
  std::vector<std::string> names;
  for (const NamedRows& rows : elements.invariant_rows) names.push_back(rows.name);
  return names;
}

COTANGENT_INSTANTIATE(NUMBERS, KeptInvariants);

}  // namespace cotangent
