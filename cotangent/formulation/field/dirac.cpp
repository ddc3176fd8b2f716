#include <algorithm>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/formulation/entries.hpp"
#include "cotangent/formulation/field/phase_space_field.hpp"
#include "cotangent/system/operation/joint_operation.hpp"

namespace cotangent {
namespace {

using namespace direction;
using Of = Contraction::Of;
using Result = Contraction::Result;
using Direction = Contraction::Direction;

// g, G x, g''[x, y], one number for each constraint.
Contraction rows(std::vector<Direction> directions) {
  Contraction contraction;
  contraction.of = Of::g;
  contraction.directions = std::move(directions);
  return contraction;
}
// G' w; (w.g)''[x]; (w.g)'''[(v, 1), x].
Contraction pull_back() { return {.of = Of::weighted_g, .result = Result::gradient_q}; }
Contraction bend(Direction x) { return {.of = Of::weighted_g, .directions = {x}, .result = Result::gradient_q}; }
Contraction third(Direction x) {
  return {.of = Of::weighted_g, .directions = {kMotion, x}, .result = Result::gradient_q};
}
// H''[x] and H'''[(0, W), x] by q or p.
Contraction energy(Direction x, Result by) { return {.directions = {x}, .result = by}; }
Contraction energy_third(Direction x, Result by) { return {.directions = {kMomentum, x}, .result = by}; }

FormulationFacts sheet() {
  return {.name = "dirac",
          .description = "Dirac's Hamiltonian underlying ODE, H + mu'g + eta'psi (`gauge = ALPHA`)",
          .hamiltonian = true,
          .residuals =
              "g' = -psi + ({g, mu0} + S R^-1) g, psi' = ({psi, mu0} + (S R^-1)^2) g - S R^-1 psi to first order, "
              "mu0 = R^-1 b: a centre for one constraint",
          .derivatives = "g''', H'''",
          .moving = "t joins the coordinates: psi = G v + g_t, b has psi_t; of f what constraints admit",
          .applies_to = "every system with third derivatives",
          .reference = "leimkuhler-reich94"};
}

/// Dirac's Hamiltonian underlying ODE: the Hamiltonian system of H + mu'g + eta'psi with its multipliers
///
///   R eta = -psi + alpha g,    R mu = psi'[(x, -H_q - e_q, 1)],    x = v + e_p,  (e_q, e_p) = grad (eta'psi)
///
/// (in the literature R mu = b + S eta, b = {psi, H}, S = {psi, psi}) as functions of the point: Hamiltonian
/// everywhere, and the constrained motion on the manifold.
///
/// Multipliers are never differentiated as functions. With adjoints
///
///   R a = g,    R k = psi - S a,    S a = psi'[(a_p, -a_q, 0)],    (a_q, a_p) = grad (a'psi),
///
/// the differential of mu'g + eta'psi at a fixed point is that of a scalar with all multipliers and adjoints held,
///
///   mu'g + a'(b + S eta - R mu) + eta'psi + k'(-psi + alpha g - R eta),
///
/// that is, with M = G' mu, K = G' k, y = -H_q - e_q - M and w = K - a_q,
///
///     G' (mu + alpha k)  +  grad (eta'psi)  -  (k.g)''[(x, 1)]
///   + (a'psi)''[(x, y, 1)]  -  H''[(a_p, w)]  -  (mu.g)''[a_p]
///   - (eta'psi)''[(a_p, w, 0)],
///
/// where -grad (k'psi) = -(k.g)''[(v, 1)] - H''[(0, K)] has gone into two of the terms.
///
/// So third derivatives of g and H come contracted with two vectors, and the cost is four solves with the factor of R
/// and some products more than that of the standard underlying ODE. hidden_constraint.hpp has the derivatives of
/// w'psi; here they are written out, so that what can be done in one pass over the constraints, or over H, is.
/// Forces f are added to p' as f - G' R^-1 G H_pp f.
///
/// Reference: [leimkuhler-reich94, eq. 3.2-3.3]; the gauge alpha: section 3.4 there.
template <class T>
class Dirac final : public PhaseSpaceField<T> {
 public:
  Dirac(Manifold<T>& manifold, const FormulationOptions& options)
      : PhaseSpaceField<T>(sheet(), manifold),
        is_separable_(manifold.system().is_separable()),
        is_affine_(manifold.system().vanishes(bend(kMotion))),
        has_rest_q_(!is_separable_ || options.gauge != 0 ||
                    !manifold.system().vanishes(energy(kPosition, Result::gradient_q))),
        has_third_(!manifold.system().vanishes(energy_third(kFlow, Result::gradient_q)) ||
                   !manifold.system().vanishes(energy_third(kFlow, Result::gradient_p))),
        gauge_(static_cast<LaneOf<T>>(options.gauge)),
        residuals_(residuals(manifold.system())),
        normals_(normals(manifold.system())),
        conjugates_(conjugates(manifold.system())),
        velocity_changes_(velocity_changes(manifold.system())),
        rates_of_psi_(rates_of_psi(manifold.system())),
        last_normals_(last_normals(manifold.system())),
        curvatures_(curvatures(manifold.system())),
        rests_(rests(manifold.system(), options.gauge)) {
    for (auto* rows : {&psi_value_, &eta_, &a_, &k_}) rows->assign(this->m(), T(0));
    for (auto* vector : {&E_, &A_, &D_, &bent_, &a_p_, &He_, &Ha_, &w_, &dv_x_, &dv_w_, &rest_q_})
      vector->assign(this->n(), T(0));
  }

  [[nodiscard]] Mask<T> field(const PointRef<T>& z, T* q_dot, T* p_dot, T* s_dot) override {
    Mask<T> found = this->begin(z);
    const std::vector<T>& v = this->psi_.v();
    const std::vector<T>& F = this->conservative_force(z);
    if (this->m() == 0) {
      std::copy(v.begin(), v.end(), q_dot);
      std::copy(F.begin(), F.end(), p_dot);
    } else {
      for (Joint* joint : {&residuals_, &normals_, &conjugates_, &velocity_changes_, &rates_of_psi_, &last_normals_,
                           &curvatures_, &rests_})
        joint->at(z.q, z.p, z.t);
      find_multipliers(v, F, q_dot, p_dot, found);
      differentiate(v, q_dot, p_dot);
    }
    this->add_admitted_forces(p_dot, found);
    this->rates(z, s_dot);
    return found;
  }

 private:
  using Joint = JointOperation<T>;
  using Term = typename Joint::Term;

  // g; psi.  Slots: v.
  static Joint residuals(System<T>& system) {
    return Joint(system, {{rows({}), {}, 0}, {rows({kMotion}), {{Input::a_q, 0}}, 1}}, {system.m(), system.m()}, 1);
  }

  // E; -(eta.g)''[(v, 1)]; A; -(a.g)''[(v, 1)].  Slots: eta, a, v.
  static Joint normals(System<T>& system) {
    const std::int64_t n = system.n();
    return Joint(system,
                 {{pull_back(), {{Input::w, 0}}, 0},
                  {bend(kMotion), {{Input::w, 0}, {Input::a_q, 2}}, 1, -1},
                  {pull_back(), {{Input::w, 1}}, 2},
                  {bend(kMotion), {{Input::w, 1}, {Input::a_q, 2}}, 3, -1}},
                 {n, n, n, n}, 3);
  }

  // H_pp E; H_qp E; H_pp A; H_qp A.  Slots: E, A.
  static Joint conjugates(System<T>& system) {
    const std::int64_t n = system.n();
    return Joint(system,
                 {{energy(kMomentum, Result::gradient_p), {{Input::a_p, 0}}, 0},
                  {energy(kMomentum, Result::gradient_q), {{Input::a_p, 0}}, 1},
                  {energy(kMomentum, Result::gradient_p), {{Input::a_p, 1}}, 2},
                  {energy(kMomentum, Result::gradient_q), {{Input::a_p, 1}}, 3}},
                 {n, n, n, n}, 2);
  }

  // The changes of H_p along (x, y, 1) and (a_p, w).  Slots: x, y, a_p, w.
  static Joint velocity_changes(System<T>& system) {
    const std::int64_t n = system.n();
    return Joint(system,
                 {{energy(kFlow, Result::gradient_p), {{Input::a_q, 0}, {Input::a_p, 1}}, 0},
                  {energy(kBoth, Result::gradient_p), {{Input::a_q, 2}, {Input::a_p, 3}}, 1}},
                 {n, n}, 4);
  }

  // psi'[(x, y, 1)]; psi'[(a_p, -a_q, 0)].  Slots: v, x, a_p, and the changes of H_p.
  static Joint rates_of_psi(System<T>& system) {
    const Contraction G_times = rows({kPosition});
    return Joint(system,
                 {{rows({kMotion, kMotion}), {{Input::a_q, 0}, {Input::b_q, 1}}, 0},
                  {G_times, {{Input::a_q, 3}}, 0},
                  {rows({kMotion, kPosition}), {{Input::a_q, 0}, {Input::b_q, 2}}, 1},
                  {G_times, {{Input::a_q, 4}}, 1}},
                 {system.m(), system.m()}, 5);
  }

  // M; K.  Slots: mu, k.
  static Joint last_normals(System<T>& system) {
    const std::int64_t n = system.n();
    return Joint(system, {{pull_back(), {{Input::w, 0}}, 0}, {pull_back(), {{Input::w, 1}}, 1}}, {n, n}, 2);
  }

  // What of the differential is curvature of g, with its sign in p'; and D = (a.g)''[(x, 1)] - (eta.g)''[a_p].
  // Slots: a, eta, k, mu, v, x, a_p, and the changes of H_p.
  static Joint curvatures(System<T>& system) {
    const std::int64_t n = system.n();
    return Joint(system,
                 {{bend(kPosition), {{Input::w, 0}, {Input::a_q, 7}}, 0, -1},
                  {third(kMotion), {{Input::w, 0}, {Input::a_q, 4}, {Input::b_q, 5}}, 0, -1},
                  {bend(kPosition), {{Input::w, 1}, {Input::a_q, 8}}, 0, 1},
                  {third(kPosition), {{Input::w, 1}, {Input::a_q, 4}, {Input::b_q, 6}}, 0, 1},
                  {bend(kMotion), {{Input::w, 2}, {Input::a_q, 5}}, 0, 1},
                  {bend(kPosition), {{Input::w, 3}, {Input::a_q, 6}}, 0, 1},
                  {bend(kMotion), {{Input::w, 0}, {Input::a_q, 5}}, 1, 1},
                  {bend(kPosition), {{Input::w, 1}, {Input::a_q, 6}}, 1, -1}},
                 {n, n}, 9);
  }

  // H_pp D + H'''[(0, A), (x, y, 1)] - H'''[(0, E), (a_p, w)] by p; the same by q, less H''[(a_p, w)], and alpha K.
  // Slots: D, A, x, y, E, a_p, w, k.
  static Joint rests(System<T>& system, double gauge) {
    const std::int64_t n = system.n();
    std::vector<Term> terms;
    for (const auto& [by, output] : {std::pair(Result::gradient_q, 0), std::pair(Result::gradient_p, 1)}) {
      terms.push_back({energy(kMomentum, by), {{Input::a_p, 0}}, output, 1});
      terms.push_back({energy_third(kFlow, by), {{Input::a_p, 1}, {Input::b_q, 2}, {Input::b_p, 3}}, output, 1});
      terms.push_back({energy_third(kBoth, by), {{Input::a_p, 4}, {Input::b_q, 5}, {Input::b_p, 6}}, output, -1});
    }
    terms.push_back({energy(kBoth, Result::gradient_q), {{Input::a_q, 5}, {Input::a_p, 6}}, 0, -1});
    if (gauge != 0) terms.push_back({pull_back(), {{Input::w, 7}}, 0, gauge});
    return Joint(system, std::move(terms), {n, n}, 8);
  }

  // eta, mu, and the adjoints a, k; with (x, y) the field of dirac-weak but for G' mu, and w = -a_q.
  void find_multipliers(const std::vector<T>& v, const std::vector<T>& F, T* x, T* y, Mask<T>& found) {
    const std::size_t n = this->n(), m = this->m();
    set(residuals_, {v.data()});
    residuals_({a_.data(), psi_value_.data()});
    for (std::size_t r = 0; r < m; ++r) eta_[r] = gauge_ * a_[r] - psi_value_[r];
    this->solve_residuals(eta_);
    this->solve_residuals(a_);
    set(normals_, {eta_.data(), a_.data(), v.data()});
    std::vector<T>&E = has_third_ ? E_ : dv_x_, &A = has_third_ ? A_ : dv_w_;
    normals_({E.data(), y, A.data(), w_.data()});
    if (is_affine_) {  // what is always zero is written once; but y and w become something else
      std::fill_n(y, n, T(0));
      std::fill(w_.begin(), w_.end(), T(0));
    }
    set(conjugates_, {E.data(), A.data()});
    conjugates_({x, He_.data(), a_p_.data(), Ha_.data()});
    for (std::size_t j = 0; j < n; ++j) {
      x[j] += v[j];
      y[j] += F[j];
    }
    if (!is_separable_) {
      for (std::size_t j = 0; j < n; ++j) {
        y[j] -= He_[j];
        w_[j] -= Ha_[j];
      }
    }
    change_velocities(x, y);
    set(rates_of_psi_, {v.data(), x, a_p_.data(), dv_x_.data(), dv_w_.data()});
    rates_of_psi_({this->lambda_.data(), k_.data()});
    for (std::size_t r = 0; r < m; ++r) k_[r] = psi_value_[r] - k_[r];
    this->solve(this->lambda_, found);
    this->solve_residuals(k_);
  }

  void change_velocities(const T* x, const T* y) {
    set(velocity_changes_, {x, y, a_p_.data(), w_.data()});
    velocity_changes_({dv_x_.data(), dv_w_.data()});
  }

  static void set(Joint& joint, std::initializer_list<const T*> slots) {
    int slot = 0;
    for (const T* x : slots) joint.set(slot++, x);
  }

  // From x and y to q' and p'. With many links what counts is memory, so vectors that are not needed at the same time
  // share a place. (They may: of an operation that gives zero whatever its arguments are, the result is written only
  // once, but M, K and changes of H_p are no such zeros.)
  void differentiate(const std::vector<T>& v, T* x, T* y) {
    const std::size_t n = this->n();
    std::vector<T>&M = dv_x_, &K = dv_w_, &rest_p = dv_x_;
    set(last_normals_, {this->lambda_.data(), k_.data()});
    last_normals_({M.data(), K.data()});
    for (std::size_t j = 0; j < n; ++j) {
      y[j] -= M[j];
      w_[j] += K[j];
    }
    change_velocities(x, y);
    set(curvatures_, {a_.data(), eta_.data(), k_.data(), this->lambda_.data(), v.data(), x, a_p_.data(), dv_x_.data(),
                      dv_w_.data()});
    curvatures_({bent_.data(), D_.data()});
    set(rests_, {D_.data(), A_.data(), x, y, E_.data(), a_p_.data(), w_.data(), k_.data()});
    rests_({rest_q_.data(), rest_p.data()});
    for (std::size_t j = 0; j < n; ++j) {
      x[j] += rest_p[j] - dv_w_[j];
      y[j] += bent_[j];
    }
    if (!has_rest_q_) return;
    for (std::size_t j = 0; j < n; ++j) y[j] -= rest_q_[j];
  }

  bool is_separable_;  // H_qp = 0
  bool is_affine_;     // g'' = 0
  bool has_rest_q_;    // of p', where something of H_qp, H_qq and alpha is not zero
  bool has_third_;     // H''' is not zero: E and A are needed until the end
  T gauge_;
  Joint residuals_, normals_, conjugates_, velocity_changes_, rates_of_psi_, last_normals_, curvatures_, rests_;
  std::vector<T> psi_value_, eta_, a_, k_;
  std::vector<T> E_, A_;        // G' eta, G' a
  std::vector<T> a_p_;          // (a'psi)_p
  std::vector<T> He_, Ha_;      // H_qp E and H_qp A, parts of (eta'psi)_q and (a'psi)_q
  std::vector<T> w_;            // -a_q, and then K - a_q, with all parts
  std::vector<T> dv_x_, dv_w_;  // changes of H_p along (x, y, 1) and (a_p, w)
  std::vector<T> bent_, D_;     // curvatures
  std::vector<T> rest_q_;
};

}  // namespace

template <class T>
FormulationEntry<T> dirac() {
  return {sheet(), make<Dirac, T>, true};
}

#define COTANGENT_FUNCTIONS(T) template FormulationEntry<T> dirac();
COTANGENT_FOR_NUMBERS(COTANGENT_FUNCTIONS)

}  // namespace cotangent
