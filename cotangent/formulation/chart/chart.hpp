#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

#include "cotangent/formulation/formulation.hpp"
#include "cotangent/manifold/manifold.hpp"

namespace cotangent {

/// A chart of the constraint manifold: coordinates delta = A q with a constant A, such that [A; G] is regular on a
/// region around where the chart was made. q is then a function phi of delta (and t):
///
///   A phi = delta,  g(phi, t) = 0,      phi' = [A; G]^-1 [I; 0]
///
/// Of dependent constraints a chart uses as many as are independent; the others follow. Those that depend on others on
/// the manifold only would count as independent where a chart is looked for, which is near the manifold: how many of
/// them there are is known (ConstraintMatrix::nullity), and chosen are rows that stay apart most, see AtMostDependent.
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

  /// The chart for the region of q: a locally constant function of q and t, whatever was asked for before. Does not
  /// allocate if it is one of the last few.
  virtual std::shared_ptr<Chart<T>> at(const T* q, const T& t) = 0;

  /// The chart of that key; a null pointer if it is none.
  virtual std::shared_ptr<Chart<T>> find(const std::vector<std::int64_t>& key) = 0;
};

/// Signs without a pattern, for vectors that stand for all: the k-th of the probe-th vector.
inline double probe_entry(std::size_t k, unsigned probe = 0) {
  const std::uint64_t mixed = (k + 1) * 0x9e3779b97f4a7c15u;
  return (mixed >> (40 + probe)) % 2 == 0 ? 1 : -1;
}

/// Numbers that differ by no more than this part of their size count as equal: by symmetry they may be, and must not be
/// told apart by rounding errors.
inline constexpr double kTie = 1e-3;

/// Chooses independent rows of G where it is known how many, nullity, follow from others. Rows are taken in their order
/// if enough is left of them when those before are eliminated; what is enough is the largest of the levels 1/2, 1/4,
/// ... with which no more than nullity rows are dropped. (Near the manifold what is left of a row that follows from
/// others is as small as residuals, not zero; and a row that is kept wrongly makes one disappear that is needed.) Where
/// nothing is known the level is that of rounding errors.
class AtMostDependent {
 public:
  explicit AtMostDependent(std::size_t nullity) : nullity_(nullity), level_(nullity > 0 ? 0.5 : last_) {}

  /// Whether a row is to be dropped of which so much is left, relative to what it was.
  bool drops(double left) {
    const bool is_dropped = !(left > level_);
    dropped_ += is_dropped ? 1 : 0;
    return is_dropped;
  }

  /// Whether elimination is to be done once more, with a lower level.
  bool goes_on() {
    if (dropped_ <= nullity_ || level_ <= last_) return false;
    level_ = std::max(last_, level_ / 2);
    dropped_ = 0;
    return true;
  }

 private:
  double last_ = std::sqrt(epsilon<double>());
  std::size_t nullity_, dropped_ = 0;
  double level_;
};

/// The last few charts, by key: their matrices have been analysed.
template <class T>
class ChartCache {
 public:
  /// @param make makes the chart of that key.
  template <class Make>
  const std::shared_ptr<Chart<T>>& find(const std::vector<std::int64_t>& key, const Make& make) {
    auto found = std::find_if(charts_.begin(), charts_.end(), [&](const auto& chart) { return chart->key() == key; });
    if (found == charts_.end()) {
      if (charts_.size() == kMost) charts_.pop_back();
      charts_.push_back(make());
      found = charts_.end() - 1;
    }
    std::rotate(charts_.begin(), found, found + 1);
    return charts_.front();
  }

 private:
  static constexpr std::size_t kMost = 8;
  std::vector<std::shared_ptr<Chart<T>>> charts_;  // the one asked for last comes first
};

/// Manifolds must outlive the atlas.
///
/// Coordinates are divided into independent ones, delta, and dependent ones: sparse, for systems of any size.
template <class T>
std::unique_ptr<Atlas<T>> make_partition_atlas(Manifold<T>& manifold);

/// A is an orthonormal basis of the null space of G, rounded or not: full matrices, for small systems.
/// @throws std::invalid_argument if there are more than 500 coordinates.
template <class T>
std::unique_ptr<Atlas<T>> make_basis_atlas(Manifold<T>& manifold, ChartKind kind, bool is_rounded);

}  // namespace cotangent
