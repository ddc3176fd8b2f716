#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "cotangent/base/phase_point.hpp"
#include "cotangent/manifold/manifold.hpp"

namespace cotangent {

/// Multipliers that forces take back: constraints see a change n of the multipliers as
///
///   S n = G H_pp (G' - f_lambda) n,
///
/// and where S n = 0 no value along n is better than another. With f = lambda on y beside the constraint y = 0, whose
/// own force is -lambda, nothing remains of lambda at all.
struct LostMultipliers {
  std::vector<std::int64_t> rows;     ///< constraints with a part in n
  std::vector<std::int64_t> entries;  ///< coordinates on which the forces f_lambda n act
};

/// The first direction n that is found, at z with v = H_p; nothing if S is regular, or has more than kLimits.full rows.
template <class T>
std::optional<LostMultipliers> lost_multipliers(Manifold<T>& manifold, const PointRef<T>& z, const T* v,
                                                const T* lambda);

}  // namespace cotangent
