#include "cotangent/formulation/field/equations.hpp"
#include "cotangent/formulation/field/standard.hpp"

namespace cotangent {

COTANGENT_INSTANTIATE(NUMBERS, PhaseSpaceField);
COTANGENT_INSTANTIATE(NUMBERS, Standard);
COTANGENT_INSTANTIATE(NUMBERS, Equations);
COTANGENT_INSTANTIATE(NUMBERS, Striction);

}  // namespace cotangent
