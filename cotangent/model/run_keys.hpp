#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace cotangent {

/// What a value of [run] is.
enum class RunKind : std::uint8_t {
  text,
  list,     ///< of texts: ["energy", "position"] or "energy,position"
  real,     ///< a number, or an expression in parameters
  integer,  ///< the same
  reals,    ///< some of them: [5, "2*m"], "5,2*m" or 5
  flag,     ///< true or false
};

/// A key of [run]. The reader knows none itself: whoever reads a model says which there are.
struct RunKey {
  std::string name;
  RunKind kind;
};

}  // namespace cotangent
