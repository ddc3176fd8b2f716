#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "cotangent/model/black_box.hpp"

namespace cotangent {

/// What differences say of a black box at a point. Each line is one function, at its worst entry.
struct BlackBoxCheck {
  struct Line {
    std::string function;  ///< "G", or what was declared: "G outside G_pattern"
    std::string against;   ///< what it was compared with: "differences of g"
    std::string entry;     ///< where it is worst: "row 2, column 5", from zero
    double value = 0;      ///< that the black box gives
    double expected = 0;   ///< by differences
    double accuracy = 0;   ///< how well differences are known: estimated from steps of two lengths, and rounding
    bool is_consistent = true;
  };
  std::vector<Line> lines;
  std::vector<std::string> problems;  ///< functions that are missing, or that threw

  bool is_consistent() const;

  /// A table.
  std::string text() const;
};

std::ostream& operator<<(std::ostream& out, const BlackBoxCheck& check);

/// Compares everything that a black box supplies with differences of what it is the derivative of: H_q, H_p, H_t with
/// those of H; G, g_t with those of g; second derivatives with those of first ones. Also what it declares: that nothing
/// depends on the time, that G and H_pp are zero outside their patterns, that H is separable.
///
/// A difference is a mistake if it is larger than ten times the accuracy of the differences. Takes several evaluations
/// of every function for each coordinate; throws nothing.
BlackBoxCheck check(const BlackBox& box, const std::vector<double>& q, const std::vector<double>& p, double t = 0);

}  // namespace cotangent
