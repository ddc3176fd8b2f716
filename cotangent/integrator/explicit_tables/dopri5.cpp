#include "cotangent/integrator/explicit_tables/explicit_tables.hpp"

namespace cotangent {

ExplicitTableau dopri5_tableau() {
  const Quad x = 1;  // makes quotients of integers those of Quads
  return {.a = {{},
                {x / 5},
                {3 * x / 40, 9 * x / 40},
                {44 * x / 45, -56 * x / 15, 32 * x / 9},
                {19372 * x / 6561, -25360 * x / 2187, 64448 * x / 6561, -212 * x / 729},
                {9017 * x / 3168, -355 * x / 33, 46732 * x / 5247, 49 * x / 176, -5103 * x / 18656},
                {35 * x / 384, 0, 500 * x / 1113, 125 * x / 192, -2187 * x / 6784, 11 * x / 84}},
          .b = {35 * x / 384, 0, 500 * x / 1113, 125 * x / 192, -2187 * x / 6784, 11 * x / 84, 0},
          .error = {71 * x / 57600, 0, -71 * x / 16695, 71 * x / 1920, -17253 * x / 339200, 22 * x / 525, -x / 40}};
}

}  // namespace cotangent
