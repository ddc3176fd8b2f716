#pragma once

#include <cstddef>
#include <cstdint>

namespace cotangent {

/// How much of everything there may be. More is refused, with a message, before memory or patience run out;
/// docs/model-files.md lists those that users meet.
struct Limits {
  // The text of a model.
  std::size_t file_bytes = std::size_t{64} << 20;
  std::size_t expression_bytes = std::size_t{1} << 16;
  int nesting = 200;                  ///< of parentheses, calls, powers and signs in an expression
  int nesting_in_definitions = 1000;  ///< with those that an expression uses
  int key_parts = 16;
  std::int64_t integer = std::int64_t{1} << 53;  ///< beyond it double has gaps

  // The lists of a model.
  std::int64_t entries = 100'000'000;  ///< of arrays, rows of constraints and values, terms of sums, turns of loops
  std::int64_t computed_turns = 20'000'000;  ///< of loops whose indices go through tables or functions
  std::int64_t terms_read = 1'000'000;       ///< of sums that are evaluated while a model is read
  std::int64_t expansions = 10'000;          ///< of definitions, or of initial values, that use each other
  std::int64_t expanded_uses = 10'000'000;   ///< in all initial values together
  std::int64_t components = 1000;            ///< of a vector; longer arrays are added up with sum
  std::int64_t choices = 16;                 ///< of a component by a loop index

  // The texts of checkpoints and records, which are read into memory. What is not stored, a pipe or a device, has no
  // end that could be known: it is read up to file_bytes.
  std::size_t data_bytes = std::size_t{64} << 30;

  std::int64_t refinement =
      10'000;  ///< K of a finer run: errors of a method of order one are known to four digits then

  std::int64_t full = 2000;  ///< rows of a full matrix: it takes 32 MB, and a factorisation seconds
  int pivoted = 200;         ///< rows that are eliminated in the order of their pivots
  std::int64_t lost = 500;   ///< multipliers of which those are found that forces take back
  std::int64_t basis = 400;  ///< vectors of a basis of the tangent space that are all carried along
  std::int64_t minimal =
      100;  ///< minimal coordinates, whose matrices are full; a note says that more of them take long

  // For people.
  std::size_t names = 8;                       ///< of one kind in a message
  std::size_t name_bytes = 80;                 ///< of a misspelt name; the search for its neighbours costs the square
  std::int64_t table_rows = 12;                ///< of a state in a table
  std::int64_t picture = 200'000;              ///< numbers of a frame of a picture
  std::size_t signals = 16;                    ///< with periodograms
  std::size_t samples = std::size_t{1} << 22;  ///< of each of them
};
inline constexpr Limits kLimits;

}  // namespace cotangent
