#pragma once

#include <csignal>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cotangent/analyze/equilibria/statics.hpp"
#include "cotangent/model/model.hpp"
#include "cotangent/output/json.hpp"

namespace cotangent {

struct EquilibriumOptions {
  std::size_t modes = 10;                            ///< at most
  bool is_relative = false;                          ///< a relative equilibrium is sought
  const volatile std::sig_atomic_t* stop = nullptr;  ///< nonzero: it is given up
};

/// A small motion about an equilibrium, proportional to exp(eigenvalue t): frequencies are imaginary parts. Damping is
/// in the real part.
struct Mode {
  Complex eigenvalue;
  /// The displacements dq, and those of the states after them; the largest is 1.
  std::vector<Complex> shape;
};

/// What is known of the stability of an equilibrium.
enum class Stability : std::uint8_t {
  stable,    ///< V has a strict minimum on the constraints, or all motions about it decay
  neutral,   ///< V has a minimum along which the system may move freely
  unstable,  ///< some motion grows
  elliptic,  ///< none grows to first order, which is not enough to say more
};
const char* name_of(Stability stability);

struct EquilibriumReport {
  std::shared_ptr<const Elements> elements;
  PhasePoint<double> z;
  std::vector<double> multipliers;  ///< of all rows
  std::string failure;              ///< why there is none; empty if there is one
  int iterations = 0;
  double residual = 0;  ///< max |V_q + G'lambda|, or max |z'|
  /// Of a relative equilibrium: the rates w at which the symmetries move it, by the names of their momenta.
  std::vector<std::pair<std::string, double>> rates;
  Stability stability = Stability::elliptic;
  std::vector<Mode> modes;      ///< those of the lowest frequencies, or all
  std::size_t mode_count = 0;   ///< of all
  bool is_conservative = true;  ///< modes are those of M x'' + K x + G'nu = 0; otherwise of all of the equations
  std::vector<std::string> notes;
};

/// The equilibrium that the initial point of a model leads to: where a system on which nothing but its potential acts
/// comes to rest if it is slowed down, a minimum of V on g = 0; of others the one that Newton's method finds. A point
/// that is an equilibrium already stays, stable or not.
///
/// A relative equilibrium moves along symmetries only, z' = sum_a w_a X_a(z), where X_a = (J_p, -J_q) for the momenta
/// J_a that check finds. It is sought among the points with the momenta of the initial one, and its modes are those of
/// the motion as seen from there, the eigenvalues of f' - sum_a w_a X_a' along the manifold: zero for each symmetry,
/// too.
///
/// @throws ModelError for initial data that a run would refuse, std::invalid_argument for systems that it cannot take,
/// Interrupted.
EquilibriumReport analyze_equilibrium(const Model& model, const EquilibriumOptions& options);

/// As the program prints it.
std::string table_of(const EquilibriumReport& report, const Model& model);
Json json_of(const EquilibriumReport& report, const Model& model);

/// The descent: each step solves
///
///   | K + s M  G' | |  dq    |     | V_q |
///   | G        0  | | lambda | = - |  g  |
///
/// with the smallest of some s >= 0 for which K + s M is positive definite on the null space of G: then dq leads
/// downhill, and it is Newton's step once s = 0 will do. Points return to the constraints; steps are halved until V
/// falls [nocedal-wright06, chapters 3 and 18].
///
/// @param z a point of the manifold; becomes the equilibrium. False if none is found in so many steps.
/// @param stop nonzero: it is given up, @throws Interrupted
[[nodiscard]] bool descend(Statics& statics, Manifold<double>& manifold, PhasePoint<double>& z,
                           std::vector<double>& lambda, int& iterations,
                           const volatile std::sig_atomic_t* stop = nullptr);

/// The modes of lowest frequency at the point at which statics are linearised, omega^2 from the smallest: by a full
/// matrix where it is small, else by the method of Lanczos for (K + s M)^-1 M on the null space of G [ericsson-ruhe80].
struct NormalModes {
  std::vector<double> omega2 = {};
  std::vector<std::vector<double>> shapes = {};
  double noise = 0;  ///< smaller |omega^2| are zero
};
NormalModes normal_modes(Statics& statics, std::size_t count);

}  // namespace cotangent
