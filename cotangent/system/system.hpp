#pragma once

#include <concepts>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/elements/elements.hpp"
#include "cotangent/kernel/dual_kernel.hpp"
#include "cotangent/system/contraction.hpp"
#include "cotangent/system/operation.hpp"
#include "cotangent/system/operation_source.hpp"

namespace cotangent {

template <class T>
class System;

/// An operation that will be made, and compiled, when it is first called: keep one for each operation that you use.
template <class T>
class Request {
 public:
  Request(System<T>& system, Contraction contraction) : system_(&system), contraction_(std::move(contraction)) {}

  void operator()(const Frame<T>& frame) const {
    if (operation_ == nullptr) operation_ = &system_->operation(contraction_);
    (*operation_)(frame);
  }

  /// Whether the result is zero wherever it is evaluated, such as third derivatives of a quadratic function.
  bool vanishes() const {
    if (!vanishes_) vanishes_ = system_->vanishes(contraction_);
    return *vanishes_;
  }

 private:
  System<T>* system_;
  Contraction contraction_;
  mutable const Operation<T>* operation_ = nullptr;
  mutable std::optional<bool> vanishes_;
};

template <class T>
class Legendre;
struct BlackBox;

/// The numerical face of a model: H, g and their derivatives as operations on vectors of T.
///
/// q and p are vectors of n numbers, rows of g number m. Operations are made when first asked for and compiled when
/// first called; asking again gives the same one. Scratch memory for group variables belongs to the system: use one
/// system per thread.
///
/// Of a Lagrangian system H is the Legendre transform, at the v that solves L_v(q, v, t) = p; see legendre.hpp. H and g
/// may also be functions of the user's: see black_box.hpp.
template <class T>
class System {
 public:
  System(std::shared_ptr<const Elements> elements, Backend backend);

  /// @throws std::invalid_argument naming what the black box lacks.
  explicit System(BlackBox box) requires std::same_as<T, double>;
  ~System();
  System(const System&) = delete;
  System& operator=(const System&) = delete;

  std::int64_t n() const { return elements_->n; }
  std::int64_t m() const { return elements_->m; }
  const Elements& elements() const { return *elements_; }

  /// Numbers beside q and p that a trajectory carries: the states and, where energy comes and goes, the work done.
  std::int64_t state_count() const { return elements_->states + (has_work() ? 1 : 0); }

  /// Forces, or a dependence on the time, change H: the last state is the work done, w' = f'v + H_t + lambda'g_t.
  bool has_work() const { return has_work_; }

  const Operation<T>& operation(const Contraction& contraction);

  /// Whether kernels of element functions are all there is to a contraction.
  bool is_made_of_elements(const Contraction& contraction) const {
    return !source_ || (legendre_ && contraction.of != Contraction::Of::H);
  }

  /// Whether a contraction is identically zero, as far as its expressions tell.
  bool vanishes(const Contraction& contraction);

  /// The operations that methods use, by their letters. Arguments: q, p, t of the frame, and what is said.
  Request<T> H() { return request({}); }
  Request<T> H_q() { return request({.result = Contraction::Result::gradient_q}); }
  Request<T> H_p() { return request({.result = Contraction::Result::gradient_p}); }
  /// dH/dt at fixed q and p.
  Request<T> H_t() { return request({.directions = {kTime}}); }
  /// g(q, t), with out::norms.
  Request<T> g() { return request({.of = Contraction::Of::g, .norms = true}); }
  /// G a with a in a_q, with out::norms.
  Request<T> G_times() { return request({.of = Contraction::Of::g, .directions = {{}}, .norms = true}); }
  /// G a + g_t, the rate of g where q' = a in a_q, with out::norms.
  Request<T> g_rate() { return request({.of = Contraction::Of::g, .directions = {kMotion}, .norms = true}); }
  /// g''[(a, 1), (b, 1)], second derivatives by q and t, one number per row, a in a_q and b in b_q.
  Request<T> g_second() { return request({.of = Contraction::Of::g, .directions = {kMotion, kMotion}}); }
  /// G' u with u in weights.
  Request<T> G_transposed_times() {
    return request({.of = Contraction::Of::weighted_g, .result = Contraction::Result::gradient_q});
  }
  /// u'g_t with u in weights.
  Request<T> weighted_g_t() { return request({.of = Contraction::Of::weighted_g, .directions = {kTime}}); }
  /// H_pp a, a in a_p.
  Request<T> H_pp_times() {
    return request({.directions = {{.q = false, .p = true}}, .result = Contraction::Result::gradient_p});
  }
  /// H_pq a + H_pp b: the derivative of H_p along (a, b), a in a_q and b in a_p.
  Request<T> H_p_along() {
    return request({.directions = {{.q = true, .p = true}}, .result = Contraction::Result::gradient_p});
  }
  /// H_qq a + H_qp b: the derivative of H_q along (a, b), a in a_q and b in a_p.
  Request<T> H_q_along() {
    return request({.directions = {{.q = true, .p = true}}, .result = Contraction::Result::gradient_q});
  }
  /// H_pq a + H_pp b + H_pt: the rate of H_p where q' = a in a_q and p' = b in a_p.
  Request<T> H_p_rate() {
    return request({.directions = {{.q = true, .p = true, .t = true}}, .result = Contraction::Result::gradient_p});
  }
  /// Of the frame's q, p, v, s, lambda, t: forces (without the dissipation), rates of the states, and what is recorded.
  Request<T> force() { return request({.of = Contraction::Of::force}); }
  Request<T> rate() { return request({.of = Contraction::Of::rate}); }
  Request<T> observables() { return request({.of = Contraction::Of::observable}); }
  Request<T> invariants() { return request({.of = Contraction::Of::invariant}); }
  /// Gradients of u'I, I the invariants, with u in weights: by q, p and v as if they were independent, and by the
  /// states.
  Request<T> weighted_invariant(Contraction::Result gradient) {
    return request({.of = Contraction::Of::weighted_invariant, .result = gradient});
  }
  /// Derivatives of forces and rates along (a_p, a_v, a_s, a_lambda).
  Request<T> force_along() { return request({.of = Contraction::Of::force, .directions = {kKick}}); }
  Request<T> rate_along() { return request({.of = Contraction::Of::rate, .directions = {kKick}}); }
  /// D_v, and its derivative along (a_v, a_s).
  Request<T> D_v() { return request({.of = Contraction::Of::dissipation, .result = Contraction::Result::gradient_v}); }
  Request<T> D_v_along() {
    return request({.of = Contraction::Of::dissipation,
                    .directions = {{.q = false, .v = true, .s = true}},
                    .result = Contraction::Result::gradient_v});
  }

  std::int64_t observable_count() const { return builder_.row_count(Contraction::Of::observable); }
  std::int64_t invariant_count() const { return builder_.row_count(Contraction::Of::invariant); }

  /// The transformation of a Lagrangian system; a null pointer for others.
  Legendre<T>* legendre() { return legendre_; }

  /// Where operations come from that are not made of elements; a null pointer if all are.
  OperationSource<T>* source() { return source_.get(); }

  /// H(q, p, t) = T(p, t) + V(q, t): H_q does not depend on p (nor H_p on q).
  bool is_separable() const { return is_separable_; }

  /// The diagonal of W = H_pp where it is diagonal and constant; see constant_diagonal_mass.
  const std::optional<std::vector<T>>& diagonal_mass() const { return diagonal_mass_; }

  /// The value of W if it is the same for all coordinates.
  std::optional<Quad> uniform_mass() const;

  /// Moreover H_p = W p.
  bool has_homogeneous_mass() const { return diagonal_mass_ && is_homogeneous_; }

  Frame<T> frame();

  KernelCompiler<T>& compiler() { return compiler_; }
  ContractionBuilder& builder() { return builder_; }

 private:
  static constexpr Contraction::Direction kTime{.q = false, .t = true};
  static constexpr Contraction::Direction kMotion{.q = true, .t = true};
  static constexpr Contraction::Direction kKick{.q = false, .p = true, .v = true, .s = true, .lambda = true};

  Request<T> request(Contraction contraction) { return {*this, std::move(contraction)}; }
  std::vector<T> evaluate_column(const ContractionBuilder::ColumnOf& column) const;
  void evaluate_mass();
  bool find_separable();

  std::shared_ptr<const Elements> elements_;
  ContractionBuilder builder_;
  KernelCompiler<T> compiler_;
  std::map<Contraction, std::unique_ptr<Operation<T>>> operations_;
  std::unique_ptr<OperationSource<T>> source_;
  Legendre<T>* legendre_ = nullptr;  // the source, of a Lagrangian
  std::vector<std::vector<T>> columns_;
  std::vector<std::vector<T>> groups_, adjoints_;  // by mask
  std::vector<T> scales_, row_scales_;             // of group variables, of rows
  std::optional<std::vector<T>> diagonal_mass_;
  bool is_homogeneous_ = false;
  bool is_separable_ = false;
  bool has_work_ = false;
  T no_time_ = T(0);
};

COTANGENT_DECLARE(NUMBERS, System);

}  // namespace cotangent
