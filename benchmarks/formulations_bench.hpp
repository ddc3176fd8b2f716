#pragma once

namespace cotangent {

/// What a right-hand side of each formulation costs.
void bench_formulations();

}  // namespace cotangent
