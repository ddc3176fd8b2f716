#include "cotangent/base/check.hpp"

#include <cstdio>
#include <cstdlib>

namespace cotangent {

// A linker leaves out what nobody refers to.
namespace detail {
extern const bool processor_is_expected;
[[gnu::used]] static const bool* const expectation = &processor_is_expected;
}  // namespace detail

void check_failed(const char* condition, std::source_location where) {
  std::fprintf(stderr, "%s:%u: internal error in %s: %s does not hold\n", where.file_name(),
               static_cast<unsigned>(where.line()), where.function_name(), condition);
  std::abort();
}

}  // namespace cotangent
