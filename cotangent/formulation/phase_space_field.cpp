#include "cotangent/formulation/phase_space_field.hpp"

namespace cotangent {

COTANGENT_INSTANTIATE(NUMBERS, PhaseSpaceField);

}  // namespace cotangent
