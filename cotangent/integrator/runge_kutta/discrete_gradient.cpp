#include "cotangent/integrator/runge_kutta/discrete_gradient.hpp"

#include <stdexcept>

namespace cotangent {

using namespace scheme;

MethodFacts discrete_gradient_facts() {
  return {.name = "gonzalez",
          .kind = MethodKind::energy_keeping,
          .description = "Gonzalez' midpoint discrete gradient",
          .order = 2,
          .symmetric = true,
          .keeps_energy = true,
          .keeps_position = true,
          .keeps_momentum = true,
          .has_solver = true,
          .formulations = {"state-space", "standard"},
          .applies_to = "systems whose H is conserved",
          .reference = "gonzalez96"};
}

void expect_conserved_energy(const Structure& system, bool is_hamiltonian) {
  if (!is_hamiltonian && system.m > 0)
    throw std::invalid_argument(
        "the method 'gonzalez' takes the formulation 'standard' without constraints only; use 'state-space'");
  if (system.states > 0)
    throw std::invalid_argument(
        "the method 'gonzalez' keeps H, but here forces, states or the time change it; use 'gauss:2' or 'rattle'");
}

Step discrete_gradient(const Writer& w, const PhaseSums& z, Num h, const Remembered& before) {
  const std::size_t n = w.system.n;
  const Num t = w.time(0);
  const Vec begin = join({z.q.value, z.p.value});
  const Energy K = w.energy(begin, t);
  Vec step_q, step_p, noise_q, noise_p;
  const Vec D = w.solve({.guess = before.cached("D", 2 * n, [&] { return h * w.field(begin, t); }),
                         .F =
                             [&](Vec d) {
                               const Vec d_q = part(d, 0, n), d_p = part(d, n, n);
                               const Vec f = w.field(begin + 0.5 * d, t), f_q = part(f, 0, n), f_p = part(f, n, n);
                               // K'(m) = (-p', q').
                               const Vec K_end = w.energy(begin + d, t).value, along = dot(f_q, d_p) - dot(f_p, d_q);
                               const Vec defect = (K_end - K.value) - along;
                               // What is only rounding error of K must not be divided by a small |D|^2.
                               const Vec size = abs(K_end) + abs(K.value) + abs(along) + 0.25 * K.inside;
                               const Vec c = divide_beyond_rounding(defect, dot(d, d), defect, size);
                               step_q = h * (f_q + scale(c, d_p));
                               step_p = h * (f_p - scale(c, d_q));
                               // K is rounded, c with it, and D with c: where K is a small difference by more than one
                               // unit of what is largest. A quarter of that is about what is left.
                               const Vec of_c = abs(h) * divide_beyond_rounding(0.25 * size, dot(d, d), defect, size);
                               noise_q = scale(of_c, d_p);
                               noise_p = scale(of_c, d_q);
                               return join({rows(d_q - step_q), rows(d_p - step_p)});
                             },
                         .kinds = {{n, z.q, [&] { return noise_q; }}, {n, z.p, [&] { return noise_p; }}}});
  // h f is large beside D where it is stiff, and otherwise better than D by one iteration.
  const Num is_stiff = w.was_stiff(D);
  return {{z.q + choose(is_stiff, part(D, 0, n), step_q), z.p + choose(is_stiff, part(D, n, n), step_p), z.s},
          {{"D", D}}};
}

}  // namespace cotangent
