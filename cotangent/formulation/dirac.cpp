#include "cotangent/formulation/dirac.hpp"

#include <algorithm>

namespace cotangent {
namespace {

using Of = Contraction::Of;
using Result = Contraction::Result;
using Direction = Contraction::Direction;

constexpr Direction kMotion{.q = true, .t = true};
constexpr Direction kPosition{.q = true};
constexpr Direction kMomentum{.q = false, .p = true};
constexpr Direction kBoth{.q = true, .p = true};
constexpr Direction kFlow{.q = true, .p = true, .t = true};

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
          .description = "Dirac's Hamiltonian underlying ODE, H + mu'g + eta'psi (--gauge ALPHA)",
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
  return join<T>(system, {system.m(), system.m()}, 1, Term{rows({}), {}, 0}, Term{rows({kMotion}), {{in::a_q, 0}}, 1});
}

// E; (eta.g)''[(v, 1)]; A; (a.g)''[(v, 1)].  Slots: eta, a, v.
template <class T>
typename Dirac<T>::Joint Dirac<T>::normals(System<T>& system) {
  using Term = typename Joint::Term;
  const std::int64_t n = system.n();
  return join<T>(system, {n, n, n, n}, 3, Term{pull_back(), {{in::weights, 0}}, 0},
                 Term{bend(kMotion), {{in::weights, 0}, {in::a_q, 2}}, 1}, Term{pull_back(), {{in::weights, 1}}, 2},
                 Term{bend(kMotion), {{in::weights, 1}, {in::a_q, 2}}, 3});
}

// H_pp E; H_qp E; H_pp A; H_qp A.  Slots: E, A.
template <class T>
typename Dirac<T>::Joint Dirac<T>::conjugates(System<T>& system) {
  using Term = typename Joint::Term;
  const std::int64_t n = system.n();
  return join<T>(system, {n, n, n, n}, 2, Term{energy(kMomentum, Result::gradient_p), {{in::a_p, 0}}, 0},
                 Term{energy(kMomentum, Result::gradient_q), {{in::a_p, 0}}, 1},
                 Term{energy(kMomentum, Result::gradient_p), {{in::a_p, 1}}, 2},
                 Term{energy(kMomentum, Result::gradient_q), {{in::a_p, 1}}, 3});
}

// The changes of H_p along (x, y, 1) and (a_p, -a_q); of H_q along the latter.  Slots: x, y, a_p, -a_q.
template <class T>
typename Dirac<T>::Joint Dirac<T>::velocity_changes(System<T>& system) {
  using Term = typename Joint::Term;
  const std::int64_t n = system.n();
  return join<T>(system, {n, n, n}, 4, Term{energy(kFlow, Result::gradient_p), {{in::a_q, 0}, {in::a_p, 1}}, 0},
                 Term{energy(kBoth, Result::gradient_p), {{in::a_q, 2}, {in::a_p, 3}}, 1},
                 Term{energy(kBoth, Result::gradient_q), {{in::a_q, 2}, {in::a_p, 3}}, 2});
}

// psi'[(x, y, 1)]; psi'[(a_p, -a_q, 0)].  Slots: v, x, a_p, and the changes of H_p.
template <class T>
typename Dirac<T>::Joint Dirac<T>::rates_of_psi(System<T>& system) {
  using Term = typename Joint::Term;
  const Contraction G_times = rows({kPosition});
  return join<T>(system, {system.m(), system.m()}, 5, Term{rows({kMotion, kMotion}), {{in::a_q, 0}, {in::b_q, 1}}, 0},
                 Term{G_times, {{in::a_q, 3}}, 0}, Term{rows({kMotion, kPosition}), {{in::a_q, 0}, {in::b_q, 2}}, 1},
                 Term{G_times, {{in::a_q, 4}}, 1});
}

// M; K; (k.g)''[(v, 1)].  Slots: mu, k, v.
template <class T>
typename Dirac<T>::Joint Dirac<T>::last_normals(System<T>& system) {
  using Term = typename Joint::Term;
  const std::int64_t n = system.n();
  return join<T>(system, {n, n, n}, 3, Term{pull_back(), {{in::weights, 0}}, 0},
                 Term{pull_back(), {{in::weights, 1}}, 1}, Term{bend(kMotion), {{in::weights, 1}, {in::a_q, 2}}, 2});
}

// H_pp K; H_qp K; the changes of H_p along (x, y, 1) and (a_p, w).  Slots: K, x, y, a_p, w.
template <class T>
typename Dirac<T>::Joint Dirac<T>::last_changes(System<T>& system) {
  using Term = typename Joint::Term;
  const std::int64_t n = system.n();
  return join<T>(system, {n, n, n, n}, 5, Term{energy(kMomentum, Result::gradient_p), {{in::a_p, 0}}, 0},
                 Term{energy(kMomentum, Result::gradient_q), {{in::a_p, 0}}, 1},
                 Term{energy(kFlow, Result::gradient_p), {{in::a_q, 1}, {in::a_p, 2}}, 2},
                 Term{energy(kBoth, Result::gradient_p), {{in::a_q, 3}, {in::a_p, 4}}, 3});
}

// What of the differential is curvature of g, with its sign in p'; and D = (a.g)''[(x, 1)] - (eta.g)''[a_p].
// Slots: a, eta, k, mu, v, x, a_p, e_p, and the changes of H_p.
template <class T>
typename Dirac<T>::Joint Dirac<T>::curvatures(System<T>& system) {
  using Term = typename Joint::Term;
  const std::int64_t n = system.n();
  return join<T>(system, {n, n}, 10, Term{bend(kPosition), {{in::weights, 0}, {in::a_q, 8}}, 0, -1},
                 Term{third(kMotion), {{in::weights, 0}, {in::a_q, 4}, {in::b_q, 5}}, 0, -1},
                 Term{bend(kPosition), {{in::weights, 1}, {in::a_q, 9}}, 0, 1},
                 Term{third(kPosition), {{in::weights, 1}, {in::a_q, 4}, {in::b_q, 6}}, 0, 1},
                 Term{bend(kPosition), {{in::weights, 2}, {in::a_q, 7}}, 0, 1},
                 Term{bend(kPosition), {{in::weights, 3}, {in::a_q, 6}}, 0, 1},
                 Term{bend(kMotion), {{in::weights, 0}, {in::a_q, 5}}, 1, 1},
                 Term{bend(kPosition), {{in::weights, 1}, {in::a_q, 6}}, 1, -1});
}

// H_qp D + H'''[(0, A), (x, y, 1)] - H'''[(0, E), (a_p, w)] by q, and the same by p.  Slots: D, A, x, y, E, a_p, w.
template <class T>
typename Dirac<T>::Joint Dirac<T>::energy_terms(System<T>& system) {
  using Term = typename Joint::Term;
  const std::int64_t n = system.n();
  std::vector<Term> terms;
  for (const auto& [by, output] : {std::pair(Result::gradient_q, 0), std::pair(Result::gradient_p, 1)}) {
    terms.push_back({energy(kMomentum, by), {{in::a_p, 0}}, output, 1});
    terms.push_back({energy_third(kFlow, by), {{in::a_p, 1}, {in::b_q, 2}, {in::b_p, 3}}, output, 1});
    terms.push_back({energy_third(kBoth, by), {{in::a_p, 4}, {in::b_q, 5}, {in::b_p, 6}}, output, -1});
  }
  return Joint(system, std::move(terms), {n, n}, 7);
}

template <class T>
Dirac<T>::Dirac(Manifold<T>& manifold, const FormulationOptions& options)
    : PhaseSpaceField<T>(sheet(), manifold),
      is_separable_(manifold.system().is_separable()),
      gauge_(static_cast<LaneOf<T>>(options.gauge)),
      residuals_(residuals(manifold.system())),
      normals_(normals(manifold.system())),
      conjugates_(conjugates(manifold.system())),
      velocity_changes_(velocity_changes(manifold.system())),
      rates_of_psi_(rates_of_psi(manifold.system())),
      last_normals_(last_normals(manifold.system())),
      last_changes_(last_changes(manifold.system())),
      curvatures_(curvatures(manifold.system())),
      energy_terms_(energy_terms(manifold.system())) {
  for (auto* rows : {&g_, &psi_value_, &eta_, &a_, &k_}) rows->assign(this->m(), T(0));
  for (auto* vector : {&E_,  &A_, &M_, &K_,         &e_q_,  &e_p_,  &a_q_,  &a_p_,  &k_q_,  &k_p_, &He_,     &Ha_,
                       &Hk_, &x_, &y_, &minus_a_q_, &dv_x_, &dv_a_, &dv_w_, &dF_a_, &bend_, &D_,   &rest_q_, &rest_p_})
    vector->assign(this->n(), T(0));
}

// eta, mu, and the adjoints a, k; with (x, y) the field of dirac-weak.
template <class T>
void Dirac<T>::find_multipliers(const std::vector<T>& v, const std::vector<T>& F) {
  const std::size_t n = this->n(), m = this->m();
  residuals_.set(0, v.data());
  residuals_({g_.data(), psi_value_.data()});
  for (std::size_t r = 0; r < m; ++r) {
    eta_[r] = gauge_ * g_[r] - psi_value_[r];
    a_[r] = g_[r];
  }
  this->solve(eta_);
  this->solve(a_);
  normals_.set(0, eta_.data());
  normals_.set(1, a_.data());
  normals_.set(2, v.data());
  normals_({E_.data(), e_q_.data(), A_.data(), a_q_.data()});
  conjugates_.set(0, E_.data());
  conjugates_.set(1, A_.data());
  conjugates_({e_p_.data(), He_.data(), a_p_.data(), Ha_.data()});
  for (std::size_t j = 0; j < n; ++j) {
    minus_a_q_[j] = -a_q_[j];
    x_[j] = v[j] + e_p_[j];
    y_[j] = F[j] - e_q_[j];
  }
  if (!is_separable_) {
    for (std::size_t j = 0; j < n; ++j) {
      minus_a_q_[j] -= Ha_[j];
      y_[j] -= He_[j];
    }
  }
  velocity_changes_.set(0, x_.data());
  velocity_changes_.set(1, y_.data());
  velocity_changes_.set(2, a_p_.data());
  velocity_changes_.set(3, minus_a_q_.data());
  velocity_changes_({dv_x_.data(), dv_a_.data(), dF_a_.data()});
  rates_of_psi_.set(0, v.data());
  rates_of_psi_.set(1, x_.data());
  rates_of_psi_.set(2, a_p_.data());
  rates_of_psi_.set(3, dv_x_.data());
  rates_of_psi_.set(4, dv_a_.data());
  rates_of_psi_({this->lambda_.data(), k_.data()});
  for (std::size_t r = 0; r < m; ++r) k_[r] = psi_value_[r] - k_[r];
  this->solve(this->lambda_);
  this->solve(k_);
}

template <class T>
void Dirac<T>::differentiate(const std::vector<T>& v, T* q_dot, T* p_dot) {
  const std::size_t n = this->n();
  last_normals_.set(0, this->lambda_.data());
  last_normals_.set(1, k_.data());
  last_normals_.set(2, v.data());
  last_normals_({M_.data(), K_.data(), k_q_.data()});
  std::vector<T>& w = minus_a_q_;  // K - a_q from here on
  for (std::size_t j = 0; j < n; ++j) {
    y_[j] -= M_[j];
    w[j] += K_[j];
  }
  last_changes_.set(0, K_.data());
  last_changes_.set(1, x_.data());
  last_changes_.set(2, y_.data());
  last_changes_.set(3, a_p_.data());
  last_changes_.set(4, w.data());
  last_changes_({k_p_.data(), Hk_.data(), dv_x_.data(), dv_w_.data()});
  const T* const slots[] = {a_.data(), eta_.data(), k_.data(),   this->lambda_.data(), v.data(),
                            x_.data(), a_p_.data(), e_p_.data(), dv_x_.data(),         dv_w_.data()};
  for (int slot = 0; slot < 10; ++slot) curvatures_.set(slot, slots[slot]);
  curvatures_({bend_.data(), D_.data()});
  const T* const energy_slots[] = {D_.data(), A_.data(), x_.data(), y_.data(), E_.data(), a_p_.data(), w.data()};
  for (int slot = 0; slot < 7; ++slot) energy_terms_.set(slot, energy_slots[slot]);
  energy_terms_({rest_q_.data(), rest_p_.data()});
  for (std::size_t j = 0; j < n; ++j) {
    q_dot[j] = x_[j] - k_p_[j] + rest_p_[j] - dv_a_[j];
    p_dot[j] = y_[j] + k_q_[j] - gauge_ * K_[j] + bend_[j] + dF_a_[j];
  }
  if (is_separable_) return;
  for (std::size_t j = 0; j < n; ++j) p_dot[j] += Hk_[j] - rest_q_[j];
}

template <class T>
Mask<T> Dirac<T>::field(const PointRef<T>& z, T* q_dot, T* p_dot, T* s_dot) {
  const Mask<T> found = this->begin(z);
  const std::vector<T>& v = this->psi_.v();
  const std::vector<T>& F = this->conservative_force(z);
  if (this->m() == 0) {
    std::copy(v.begin(), v.end(), q_dot);
    std::copy(F.begin(), F.end(), p_dot);
  } else {
    for (Joint* joint : {&residuals_, &normals_, &conjugates_, &velocity_changes_, &rates_of_psi_, &last_normals_,
                         &last_changes_, &curvatures_, &energy_terms_})
      joint->at(z.q, z.p, z.t);
    find_multipliers(v, F);
    differentiate(v, q_dot, p_dot);
  }
  this->add_admitted_forces(p_dot);
  this->rates(z, s_dot);
  return found;
}

template class Dirac<double>;
template class Dirac<long double>;
template class Dirac<Quad>;
template class Dirac<Tangents>;
template class Dirac<Lanes>;

}  // namespace cotangent
