#include "cotangent/integrator/explicit_tables/explicit_tables.hpp"

namespace cotangent {
namespace {

constexpr Quad one = 1;

}  // namespace

ExplicitTableau euler_tableau() { return {.a = {{}}, .b = {1}}; }

ExplicitTableau rk2_tableau() { return {.a = {{}, {one / 2}}, .b = {0, 1}, .error = {-1, 1}}; }

ExplicitTableau heun_tableau() { return {.a = {{}, {1}}, .b = {one / 2, one / 2}, .error = {-one / 2, one / 2}}; }

ExplicitTableau rk4_tableau() {
  return {.a = {{}, {one / 2}, {0, one / 2}, {0, 0, one}}, .b = {one / 6, one / 3, one / 3, one / 6}};
}

}  // namespace cotangent
