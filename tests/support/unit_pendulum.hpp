#pragma once

#include <string>

namespace cotangent::test {

/// A pendulum whose mass, length and weight are 1, as the text of a model: all its numbers are exact in double.
struct UnitPendulum {
  std::string x = "1", y = "0", p_y = "0";
  std::string rod = "x^2 + y^2 = 1";

  std::string text() const {
    return R"toml(
[system]
coordinates = ["x", "y"]
hamiltonian = "(p_x^2 + p_y^2)/2 + y"
[constraints]
rod = ")toml" +
           rod + "\"\n[initial]\nx = " + x + "\ny = " + y + "\np_x = 0\np_y = " + p_y + "\n";
  }
};

/// The same g with g'' = 1: the multiplier is the tension.
inline constexpr const char* kHalvedRod = "(x^2 + y^2 - 1)/2 = 0";

/// E = 2: it goes over the top, where y = 1, in every turn.
inline std::string rotating_pendulum(const std::string& rod = UnitPendulum().rod) {
  return UnitPendulum{.p_y = "-2", .rod = rod}.text();
}

}  // namespace cotangent::test
