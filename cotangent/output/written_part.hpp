#pragma once

#include <cstdint>
#include <string>

#include "cotangent/base/archive.hpp"

namespace cotangent {

/// The beginning of a file, as it was written: where a resumed run goes on, if the file is still the same up to there.
struct WrittenPart {
  std::int64_t bytes = 0;
  std::string fingerprint;

  void state(Archive& archive) {
    archive("bytes", bytes);
    archive("fingerprint", fingerprint);
  }
};

}  // namespace cotangent
