#include "cotangent/formulation/standard.hpp"

namespace cotangent {

COTANGENT_INSTANTIATE(NUMBERS, PhaseSpaceField);
COTANGENT_INSTANTIATE(NUMBERS, Standard);

}  // namespace cotangent
