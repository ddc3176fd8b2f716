#pragma once

#include <cstdint>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cotangent/base/phase_point.hpp"
#include "cotangent/model/model.hpp"

namespace cotangent::test {

/// A small mechanical system that some part of the library might get wrong; each says what it is there for.
struct Problem {
  std::string name;
  std::string text;  ///< the model file
  // What the library must find out by itself.
  bool separable = true;      ///< H = T(p) + V(q)
  bool diagonal_mass = true;  ///< H_pp is diagonal and constant
  bool cubic = false;         ///< H is a polynomial of degree three, or equations are of degree two
  double long_step = 0.1;     ///< a step that is large for this problem, but with which methods still work
  bool is_mechanical = true;  ///< it has coordinates: those without are in equations.hpp
};

/// All of them with coordinates. The laws of every layer are tested on each.
const std::vector<Problem>& problems();

/// One of them, or of equations(). @throws std::out_of_range if there is none of that name.
const Problem& problem(std::string_view name);

Model read(const Problem& problem);

/// A hanging chain of N unit masses, every rod of one family; the anchor is a constraint of its own.
Problem chain(int N);

/// [initial] of a model, as it is written: not projected to the manifold.
PhasePoint<Quad> given_point(const Model& model);

/// Numbers in [-1, 1] that are the same on every machine and in every run.
class Noise {
 public:
  explicit Noise(std::uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15U + 1) {}
  Quad operator()();
  std::vector<Quad> vector(std::size_t n);

 private:
  std::uint64_t state_;
};

/// The given point moved by at most `distance` in every entry: off the manifold.
PhasePoint<Quad> noisy_point(const Model& model, std::uint64_t seed, double distance);

/// For test names and messages: googletest prints parameters with it.
inline void PrintTo(const Problem& problem, std::ostream* out) { *out << problem.name; }

}  // namespace cotangent::test
