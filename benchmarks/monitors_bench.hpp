#pragma once

namespace cotangent {

void bench_monitors();

}  // namespace cotangent
