#pragma once

#include "benchmarks/peers/candidate.hpp"

namespace cotangent::peers {

/// Each adds what a peer can do on a problem, with all settings that are tried. A peer whose package is not installed
/// is left out by the build, which defines COTANGENT_HAS_...
template <class P>
void add_odeint(const P& problem, Candidates& candidates);
/// The same methods with steps of the length h.
template <class P>
void add_odeint_steps(const P& problem, double h, Candidates& candidates);
template <class P>
void add_gsl(const P& problem, Candidates& candidates);
template <class P>
void add_sundials(const P& problem, Candidates& candidates);
template <class P>
void add_simbody(const P& problem, Candidates& candidates);
/// RATTLE and the constrained Taylor method by hand.
template <class P>
void add_hand_written(const P& problem, Candidates& candidates);
template <class P>
void add_program(const P& problem, Candidates& candidates);
template <class P>
void add_program_steps(const P& problem, double h, Candidates& candidates);

// clang-format off
#define COTANGENT_FOR_PROBLEMS(f)                                                                    \
  template void f(const Pendulum&, Candidates&); template void f(const Chain&, Candidates&);         \
  template void f(const Polymer&, Candidates&);  template void f(const FourBar&, Candidates&);       \
  template void f(const Arm&, Candidates&);
// clang-format on

}  // namespace cotangent::peers
