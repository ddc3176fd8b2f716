#pragma once

#include <functional>
#include <vector>

#include "cotangent/base/archive.hpp"
#include "cotangent/monitor/tangent_pair.hpp"

namespace cotangent {

/// What a map makes of the wedge products of all pairs of vectors of a basis, without what it makes of their lengths.
///
/// Vectors that are carried along become long, most of them in the same direction, and the products of long vectors
/// are small differences of large numbers. So the motion is cut into stretches, in each of which no vector becomes
/// longer than a few times what it was. A stretch begins with a basis E_k of unit vectors that are orthogonal to each
/// other; with M_k the derivative of the map in the stretch,
///
///   D_k = E_k' M_k' J M_k E_k - E_k' J E_k,   M_k E_k = E_{k+1} R_k,   R_k upper triangular, with a positive diagonal
///
/// and the change is the sum of the D_k. A symplectic map has D_k = 0 in every stretch. Of the product M = ... M_2 M_1
///
///   E_1' M' J M E_1 - E_1' J E_1 = D_1 + R_1' D_2 R_1 + R_1' R_2' D_3 R_2 R_1 + ...,
///
/// so that the sum is its change with the growth R of the vectors left out, which makes large figures of small ones,
/// and of rounding errors. Products are measured in units of Q P.
class TangentBasis {
 public:
  /// The vectors are those of the pairs, `dimension` of them.
  void start(const std::vector<TangentPair>& pairs, std::size_t dimension);

  /// Ends a stretch, and begins another with other vectors, where one of them has become long or short.
  /// @param renew is called for each pair that has changed, before the stretch begins.
  /// @return false if they are not independent any more.
  [[nodiscard]] bool keep_in_shape(std::vector<TangentPair>& pairs, const std::function<void(TangentPair&)>& renew);

  /// The largest entry of the sum.
  double largest(const std::vector<TangentPair>& pairs) const;

  void state(Archive& archive) {
    archive("dimension", dimension_);
    archive("before", before_);
    archive("sum", sum_);
  }

 private:
  std::size_t dimension_ = 0;
  std::vector<double> before_;  // the products at the beginning of the stretch, those above the diagonal
  std::vector<double> sum_;     // of the changes in the stretches before
};

}  // namespace cotangent
