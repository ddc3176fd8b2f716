#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/base/phase_point.hpp"
#include "cotangent/system/system.hpp"

namespace cotangent {

/// Invariants of a system by their names, with the values that they are to return to: those of the model, all rows of
/// them, and "energy", which is H, less the work done where forces or the time change H (at the work that the point
/// has).
///
/// An invariant of a model is I(q, p, v, s, t) with v = H_p, so
///
///   dI/dq = I_q + H_qp I_v,   dI/dp = I_p + H_pp I_v,   dI/ds = I_s.
template <class T>
class KeptInvariants {
 public:
  /// @param system must outlive this.
  /// @throws UnknownName, or std::invalid_argument for the energy of a system that has none, and for a name given
  /// twice.
  KeptInvariants(System<T>& system, const std::vector<std::string>& names);

  std::size_t count() const { return rows_.size(); }

  /// Which one the k-th is, whatever names were given: a row of the invariants of the model, which the energy follows.
  std::int64_t row(std::size_t k) const { return rows_[k]; }
  static std::string row_name(const Elements& elements, std::int64_t row);

  /// From now on they are to be what they are at z.
  void start(const PointRef<T>& z) { values(z, targets_.data()); }

  /// The values to return to: what a run that is resumed must be given again.
  std::vector<T>& targets() { return targets_; }

  /// I_k - target_k.
  void excess(const PointRef<T>& z, T* values);

  /// dI_k at z; the part along the work done is zero.
  void gradient(const PointRef<T>& z, std::size_t k, T* by_q, T* by_p, T* by_s);

 private:
  At<T> at(const PointRef<T>& z);
  void values(const PointRef<T>& z, T* values);
  void add_chain_rule(const At<T>& at, T* by_q, T* by_p);

  static std::vector<T> zeros(std::int64_t size) { return std::vector<T>(static_cast<std::size_t>(size), T(0)); }

  System<T>& system_;
  const std::int64_t energy_row_ = system_.invariant_count();
  const bool uses_v_ = system_.elements().depends_on(system_.elements().invariants, Space::v);
  std::vector<std::int64_t> rows_;
  bool has_declared_ = false;
  std::vector<T> targets_, all_ = zeros(energy_row_), weights_ = all_;
  std::vector<T> v_ = zeros(system_.n()), gradient_ = v_, turned_ = v_, by_states_ = zeros(system_.elements().states);
};

COTANGENT_DECLARE(NUMBERS, KeptInvariants);

/// The names of all invariants that a model declares.
std::vector<std::string> declared_invariants(const Elements& elements);

}  // namespace cotangent
