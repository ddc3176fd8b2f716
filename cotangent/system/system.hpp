#pragma once

#include <array>
#include <concepts>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/system/at.hpp"
#include "cotangent/system/compiled_model.hpp"
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

/// The numerical face of a model: H, g and their derivatives as operations on vectors of T. A workspace of one thread
/// upon a CompiledModel, whose code it shares with others.
///
/// q and p are vectors of n numbers, rows of g number m. Operations are made when first asked for and compiled when
/// first called. What belongs to the system is memory: for group variables, and for operations that remember points.
///
/// Of a Lagrangian system H is the Legendre transform, at the v that solves L_v(q, v, t) = p; see legendre.hpp. H and g
/// may also be functions of the user's: see black_box.hpp.
template <class T>
class System {
 public:
  explicit System(std::shared_ptr<const CompiledModel> model);

  /// With code that nobody shares.
  System(std::shared_ptr<const Elements> elements, Backend backend)
      : System(std::make_shared<const CompiledModel>(std::move(elements), backend)) {}

  /// @throws std::invalid_argument naming what the black box lacks.
  explicit System(BlackBox box) requires std::same_as<T, double>;
  ~System();
  System(const System&) = delete;
  System& operator=(const System&) = delete;

  std::int64_t n() const { return elements().n; }
  std::int64_t m() const { return elements().m; }
  const Elements& elements() const { return model_->elements(); }
  const CompiledModel& model() const { return *model_; }

  /// Numbers beside q and p that a trajectory carries: the states and, where energy comes and goes, the work done.
  std::int64_t state_count() const { return elements().states + (has_work() ? 1 : 0); }

  /// Forces, or a dependence on the time, change H: the last state is the work done, w' = f'v + H_t + lambda'g_t.
  bool has_work() const { return model_->has_work(); }

  /// What may be evaluated at a point: see At.
  At<T> at(const PointRef<T>& z) { return {*this, z}; }
  At<T> at(Reads<T> q, const T& t = T(0)) { return {*this, {q, nullptr, nullptr, t}}; }
  At<T> at(Reads<T> q, Reads<T> p, const T& t = T(0)) { return {*this, {q, p, nullptr, t}}; }

  bool vanishes(Derivative derivative) const { return vanishes(contraction_of(derivative)); }

  const Operation<T>& operation(const Contraction& contraction);

  /// Whether a contraction is identically zero, as far as its expressions tell.
  bool vanishes(const Contraction& contraction) const { return model_->vanishes(contraction); }

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

  std::int64_t observable_count() const { return row_count(elements(), Contraction::Of::observable); }
  std::int64_t invariant_count() const { return row_count(elements(), Contraction::Of::invariant); }

  /// The transformation of a Lagrangian system; a null pointer for others.
  Legendre<T>* legendre() { return legendre_; }

  /// Where operations come from that are not made of elements; a null pointer if all are.
  OperationSource<T>* source() { return source_.get(); }

  /// H(q, p, t) = T(p, t) + V(q, t): H_q does not depend on p (nor H_p on q).
  bool is_separable() const { return model_->is_separable(); }

  /// The diagonal of W = H_pp where it is diagonal and constant; see constant_diagonal_mass.
  const std::optional<std::vector<T>>& diagonal_mass() const { return diagonal_mass_; }

  /// The value of W if it is the same for all coordinates.
  std::optional<Quad> uniform_mass() const;

  /// Moreover H_p = W p.
  bool has_homogeneous_mass() const { return model_->has_homogeneous_mass(); }

  Frame<T> frame();

  KernelCompiler<T>& compiler() const { return model_->compiler<T>(); }

 private:
  friend class At<T>;

  static constexpr Contraction::Direction kTime{.q = false, .t = true};
  static constexpr Contraction::Direction kMotion{.q = true, .t = true};
  static constexpr Contraction::Direction kKick{.q = false, .p = true, .v = true, .s = true, .lambda = true};

  Request<T> request(Contraction contraction) { return {*this, std::move(contraction)}; }

  const Operation<T>& operation(Derivative derivative) {
    const Operation<T>*& known = named_[static_cast<std::size_t>(derivative)];
    if (!known) known = &operation(contraction_of(derivative));
    return *known;
  }

  std::shared_ptr<const CompiledModel> model_;
  const std::vector<std::vector<T>>& columns_;
  const std::optional<std::vector<T>>& diagonal_mass_;
  std::map<Contraction, std::unique_ptr<Operation<T>>> operations_;  // of the source
  std::unique_ptr<OperationSource<T>> source_;
  Legendre<T>* legendre_ = nullptr;                // the source, of a Lagrangian
  std::vector<std::vector<T>> groups_, adjoints_;  // by mask
  std::vector<T> scales_, row_scales_;             // of group variables, of rows
  T no_time_ = T(0);
  std::array<const Operation<T>*, static_cast<std::size_t>(Derivative::kCount)> named_{};
  std::array<T, 2> norms_{};
  Frame<T> frame_;  // of At
};

COTANGENT_DECLARE(NUMBERS, System);

}  // namespace cotangent
