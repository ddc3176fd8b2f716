#include "cotangent/formulation/dirac.hpp"

#include <algorithm>

#include "cotangent/base/instantiate.hpp"

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

template <class T, class... Terms>
JointOperation<T> join(System<T>& system, std::vector<std::int64_t> sizes, int slots, Terms... terms) {
  std::vector<typename JointOperation<T>::Term> list;
  (list.push_back(std::move(terms)), ...);
  return JointOperation<T>(system, std::move(list), std::move(sizes), slots);
}

}  // namespace

template <class T>
FormulationFacts Dirac<T>::sheet() {
  return {.name = "dirac",
          .description = "Dirac's Hamiltonian underlying ODE, H + mu'g + eta'psi (`gauge = ALPHA`)",
          .variables = "q, p",
          .hamiltonian = true,
          .keeps_g = false,
          .keeps_psi = false,
          .keeps_H = false,
          .residuals =
              "g' = -psi + ({g, mu0} + S R^-1) g, psi' = ({psi, mu0} + (S R^-1)^2) g - S R^-1 psi to first order, "
              "mu0 = R^-1 b: a centre for one constraint",
          .derivatives = "g''', H'''",
          .moving = "t joins the coordinates: psi = G v + g_t, b has psi_t; of f what constraints admit",
          .applies_to = "every system with third derivatives",
          .reference = "leimkuhler-reich94"};
}

// g; psi.  Slots: v.
template <class T>
typename Dirac<T>::Joint Dirac<T>::residuals(System<T>& system) {
  using Term = typename Joint::Term;
  return join<T>(system, {system.m(), system.m()}, 1, Term{rows({}), {}, 0},
                 Term{rows({kMotion}), {{Input::a_q, 0}}, 1});
}

// E; -(eta.g)''[(v, 1)]; A; -(a.g)''[(v, 1)].  Slots: eta, a, v.
template <class T>
typename Dirac<T>::Joint Dirac<T>::normals(System<T>& system) {
  using Term = typename Joint::Term;
  const std::int64_t n = system.n();
  return join<T>(system, {n, n, n, n}, 3, Term{pull_back(), {{Input::w, 0}}, 0},
                 Term{bend(kMotion), {{Input::w, 0}, {Input::a_q, 2}}, 1, -1}, Term{pull_back(), {{Input::w, 1}}, 2},
                 Term{bend(kMotion), {{Input::w, 1}, {Input::a_q, 2}}, 3, -1});
}

// H_pp E; H_qp E; H_pp A; H_qp A.  Slots: E, A.
template <class T>
typename Dirac<T>::Joint Dirac<T>::conjugates(System<T>& system) {
  using Term = typename Joint::Term;
  const std::int64_t n = system.n();
  return join<T>(system, {n, n, n, n}, 2, Term{energy(kMomentum, Result::gradient_p), {{Input::a_p, 0}}, 0},
                 Term{energy(kMomentum, Result::gradient_q), {{Input::a_p, 0}}, 1},
                 Term{energy(kMomentum, Result::gradient_p), {{Input::a_p, 1}}, 2},
                 Term{energy(kMomentum, Result::gradient_q), {{Input::a_p, 1}}, 3});
}

// The changes of H_p along (x, y, 1) and (a_p, w).  Slots: x, y, a_p, w.
template <class T>
typename Dirac<T>::Joint Dirac<T>::velocity_changes(System<T>& system) {
  using Term = typename Joint::Term;
  const std::int64_t n = system.n();
  return join<T>(system, {n, n}, 4, Term{energy(kFlow, Result::gradient_p), {{Input::a_q, 0}, {Input::a_p, 1}}, 0},
                 Term{energy(kBoth, Result::gradient_p), {{Input::a_q, 2}, {Input::a_p, 3}}, 1});
}

// psi'[(x, y, 1)]; psi'[(a_p, -a_q, 0)].  Slots: v, x, a_p, and the changes of H_p.
template <class T>
typename Dirac<T>::Joint Dirac<T>::rates_of_psi(System<T>& system) {
  using Term = typename Joint::Term;
  const Contraction G_times = rows({kPosition});
  return join<T>(
      system, {system.m(), system.m()}, 5, Term{rows({kMotion, kMotion}), {{Input::a_q, 0}, {Input::b_q, 1}}, 0},
      Term{G_times, {{Input::a_q, 3}}, 0}, Term{rows({kMotion, kPosition}), {{Input::a_q, 0}, {Input::b_q, 2}}, 1},
      Term{G_times, {{Input::a_q, 4}}, 1});
}

// M; K.  Slots: mu, k.
template <class T>
typename Dirac<T>::Joint Dirac<T>::last_normals(System<T>& system) {
  using Term = typename Joint::Term;
  const std::int64_t n = system.n();
  return join<T>(system, {n, n}, 2, Term{pull_back(), {{Input::w, 0}}, 0}, Term{pull_back(), {{Input::w, 1}}, 1});
}

// What of the differential is curvature of g, with its sign in p'; and D = (a.g)''[(x, 1)] - (eta.g)''[a_p].
// Slots: a, eta, k, mu, v, x, a_p, and the changes of H_p.
template <class T>
typename Dirac<T>::Joint Dirac<T>::curvatures(System<T>& system) {
  using Term = typename Joint::Term;
  const std::int64_t n = system.n();
  return join<T>(system, {n, n}, 9, Term{bend(kPosition), {{Input::w, 0}, {Input::a_q, 7}}, 0, -1},
                 Term{third(kMotion), {{Input::w, 0}, {Input::a_q, 4}, {Input::b_q, 5}}, 0, -1},
                 Term{bend(kPosition), {{Input::w, 1}, {Input::a_q, 8}}, 0, 1},
                 Term{third(kPosition), {{Input::w, 1}, {Input::a_q, 4}, {Input::b_q, 6}}, 0, 1},
                 Term{bend(kMotion), {{Input::w, 2}, {Input::a_q, 5}}, 0, 1},
                 Term{bend(kPosition), {{Input::w, 3}, {Input::a_q, 6}}, 0, 1},
                 Term{bend(kMotion), {{Input::w, 0}, {Input::a_q, 5}}, 1, 1},
                 Term{bend(kPosition), {{Input::w, 1}, {Input::a_q, 6}}, 1, -1});
}

// H_pp D + H'''[(0, A), (x, y, 1)] - H'''[(0, E), (a_p, w)] by p; the same by q, less H''[(a_p, w)], and alpha K.
// Slots: D, A, x, y, E, a_p, w, k.
template <class T>
typename Dirac<T>::Joint Dirac<T>::rests(System<T>& system, double gauge) {
  using Term = typename Joint::Term;
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

template <class T>
Dirac<T>::Dirac(Manifold<T>& manifold, const FormulationOptions& options)
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

// eta, mu, and the adjoints a, k; with (x, y) the field of dirac-weak but for G' mu, and w = -a_q.
template <class T>
void Dirac<T>::find_multipliers(const std::vector<T>& v, const std::vector<T>& F, T* x, T* y, Mask<T>& found) {
  const std::size_t n = this->n(), m = this->m();
  residuals_.set(0, v.data());
  residuals_({a_.data(), psi_value_.data()});
  for (std::size_t r = 0; r < m; ++r) eta_[r] = gauge_ * a_[r] - psi_value_[r];
  this->solve_residuals(eta_);
  this->solve_residuals(a_);
  normals_.set(0, eta_.data());
  normals_.set(1, a_.data());
  normals_.set(2, v.data());
  std::vector<T>&E = has_third_ ? E_ : dv_x_, &A = has_third_ ? A_ : dv_w_;
  normals_({E.data(), y, A.data(), w_.data()});
  if (is_affine_) {  // what is always zero is written once; but y and w become something else
    std::fill_n(y, n, T(0));
    std::fill(w_.begin(), w_.end(), T(0));
  }
  conjugates_.set(0, E.data());
  conjugates_.set(1, A.data());
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
  rates_of_psi_.set(0, v.data());
  rates_of_psi_.set(1, x);
  rates_of_psi_.set(2, a_p_.data());
  rates_of_psi_.set(3, dv_x_.data());
  rates_of_psi_.set(4, dv_w_.data());
  rates_of_psi_({this->lambda_.data(), k_.data()});
  for (std::size_t r = 0; r < m; ++r) k_[r] = psi_value_[r] - k_[r];
  this->solve(this->lambda_, found);
  this->solve_residuals(k_);
}

template <class T>
void Dirac<T>::change_velocities(const T* x, const T* y) {
  velocity_changes_.set(0, x);
  velocity_changes_.set(1, y);
  velocity_changes_.set(2, a_p_.data());
  velocity_changes_.set(3, w_.data());
  velocity_changes_({dv_x_.data(), dv_w_.data()});
}

// From x and y to q' and p'. With many links what counts is memory, so vectors that are not needed at the same time
// share a place. (They may: of an operation that gives zero whatever its arguments are, the result is written only
// once, but M, K and changes of H_p are no such zeros.)
template <class T>
void Dirac<T>::differentiate(const std::vector<T>& v, T* x, T* y) {
  const std::size_t n = this->n();
  std::vector<T>&M = dv_x_, &K = dv_w_, &rest_p = dv_x_;
  last_normals_.set(0, this->lambda_.data());
  last_normals_.set(1, k_.data());
  last_normals_({M.data(), K.data()});
  for (std::size_t j = 0; j < n; ++j) {
    y[j] -= M[j];
    w_[j] += K[j];
  }
  change_velocities(x, y);
  const T* const slots[] = {a_.data(), eta_.data(), k_.data(),    this->lambda_.data(), v.data(),
                            x,         a_p_.data(), dv_x_.data(), dv_w_.data()};
  for (int slot = 0; slot < 9; ++slot) curvatures_.set(slot, slots[slot]);
  curvatures_({bent_.data(), D_.data()});
  const T* const rest_slots[] = {D_.data(), A_.data(), x, y, E_.data(), a_p_.data(), w_.data(), k_.data()};
  for (int slot = 0; slot < 8; ++slot) rests_.set(slot, rest_slots[slot]);
  rests_({rest_q_.data(), rest_p.data()});
  for (std::size_t j = 0; j < n; ++j) {
    x[j] += rest_p[j] - dv_w_[j];
    y[j] += bent_[j];
  }
  if (!has_rest_q_) return;
  for (std::size_t j = 0; j < n; ++j) y[j] -= rest_q_[j];
}

template <class T>
Mask<T> Dirac<T>::field(const PointRef<T>& z, T* q_dot, T* p_dot, T* s_dot) {
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

COTANGENT_INSTANTIATE(NUMBERS, Dirac);

}  // namespace cotangent
