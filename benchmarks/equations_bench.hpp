#pragma once

namespace cotangent {

/// An ordinary differential equation of up to a million states against the same method by hand.
void bench_equations();

}  // namespace cotangent
