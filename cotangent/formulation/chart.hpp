#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "cotangent/formulation/formulation.hpp"
#include "cotangent/system/system.hpp"

namespace cotangent {

/// A chart of the constraint manifold: coordinates delta = A q with a constant A, such that [A; G] is regular on a
/// region around where the chart was made. q is then a function phi of delta (and t):
///
///   A phi = delta,  g(phi, t) = 0,      phi' = [A; G]^-1 [I; 0]
///
/// Of dependent constraints a chart uses as many as are independent; the others follow.
template <class T>
class Chart {
 public:
  virtual ~Chart() = default;

  /// Two charts with the same key are the same.
  const std::vector<std::int64_t>& key() const { return key_; }

  /// n - rank G.
  std::int64_t size() const { return size_; }

  /// delta = A q;  x = A' theta.
  virtual void coordinates(const T* q, T* delta) const = 0;
  virtual void transpose(const T* theta, T* x) const = 0;

  /// Factors [A; G] at q. Whether it is regular.
  [[nodiscard]] virtual bool factor(const T* q, const T& t) = 0;

  /// The v with A v = u and G v = c, c having an entry for each constraint.
  virtual void lift(const T* u, const T* c, T* v) = 0;

  /// theta = phi'^t x: the theta of A' theta + G' nu = x.
  virtual void pull_back(const T* x, T* theta) = 0;

  /// How far from singular [A; G] was when it was last factored; at most one.
  virtual double quality() const = 0;

 protected:
  Chart(std::vector<std::int64_t> key, std::int64_t size) : key_(std::move(key)), size_(size) {}

 private:
  std::vector<std::int64_t> key_;
  std::int64_t size_;
};

/// Finds charts. For partition they come from a finite set because A selects coordinates; for QR and SVD because the
/// entries of A are rounded to multiples of a power of two.
template <class T>
class Atlas {
 public:
  virtual ~Atlas() = default;

  /// The key of the chart for the region of q: a locally constant function of q.
  virtual const std::vector<std::int64_t>& key_at(const T* q, const T& t) = 0;

  /// The chart for the region of q.
  virtual std::unique_ptr<Chart<T>> make(const T* q, const T& t) = 0;
};

/// Coordinates are divided into independent ones, delta, and dependent ones: sparse, for systems of any size.
template <class T>
std::unique_ptr<Atlas<T>> make_partition_atlas(System<T>& system);

/// A is an orthonormal basis of the null space of G, rounded or not: full matrices, for small systems.
/// @throws std::invalid_argument if there are more than 500 coordinates.
template <class T>
std::unique_ptr<Atlas<T>> make_basis_atlas(System<T>& system, ChartKind kind, bool is_rounded);

}  // namespace cotangent
