#include <unistd.h>

#include <cstdlib>
#include <cstring>

// The library is compiled for x86-64-v3: AVX2, FMA, BMI. On an older processor it would end with an illegal instruction
// somewhere, so it says what is missing before anything else runs. This file alone is compiled for every x86-64.

namespace {

__attribute__((constructor(101))) void expect_processor() {
  if (__builtin_cpu_supports("x86-64-v3")) return;
  static const char text[] =
      "cotangent: this processor is too old: x86-64-v3 is needed (AVX2 and FMA, in processors since about 2013 to "
      "2017)\n";
  static_cast<void>(!write(STDERR_FILENO, text, sizeof(text) - 1));
  _exit(1);
}

}  // namespace

namespace cotangent::detail {

/// Refers to this file, so that a linker takes it along.
extern const bool processor_is_expected;
const bool processor_is_expected = true;

}  // namespace cotangent::detail
