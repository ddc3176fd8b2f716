#include "cotangent/integrator/default_projection.hpp"

namespace cotangent {

Projection default_projection(const MethodFacts& facts, std::int64_t constraints) {
  const bool keeps = facts.keeps_position && facts.keeps_momentum;
  return keeps || constraints == 0 ? Projection::none : Projection::both;
}

}  // namespace cotangent
