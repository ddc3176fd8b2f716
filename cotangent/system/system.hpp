#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cotangent/elements/elements.hpp"
#include "cotangent/kernel/kernel.hpp"
#include "cotangent/system/contraction.hpp"
#include "cotangent/system/operation.hpp"

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

 private:
  System<T>* system_;
  Contraction contraction_;
  mutable const Operation<T>* operation_ = nullptr;
};

/// The numerical face of a model: H, g and their derivatives as operations on vectors of T.
///
/// q and p are vectors of n numbers, rows of g number m. Operations are made when first asked for and compiled when
/// first called; asking again gives the same one. Scratch memory for group variables belongs to the system: use one
/// system per thread.
template <class T>
class System {
 public:
  System(std::shared_ptr<const Elements> elements, Backend backend);
  System(const System&) = delete;
  System& operator=(const System&) = delete;

  std::int64_t n() const { return elements_->n; }
  std::int64_t m() const { return elements_->m; }
  const Elements& elements() const { return *elements_; }

  const Operation<T>& operation(const Contraction& contraction);

  /// The operations that every method uses, by their letters.
  Request<T> H() { return request({}); }
  Request<T> H_q() { return request({.result = Contraction::Result::gradient_q}); }
  Request<T> H_p() { return request({.result = Contraction::Result::gradient_p}); }
  /// g(q), with out::norms.
  Request<T> g() { return request({.of = Contraction::Of::g, .norms = true}); }
  /// G(q) a with a in a_q, with out::norms.
  Request<T> G_times() { return request({.of = Contraction::Of::g, .directions = {{}}, .norms = true}); }
  /// G(q)' u with u in weights.
  Request<T> G_transposed_times() {
    return request({.of = Contraction::Of::weighted_g, .result = Contraction::Result::gradient_q});
  }
  /// g''(q)[a, b], one number per row, a in a_q and b in b_q.
  Request<T> g_qq() { return request({.of = Contraction::Of::g, .directions = {{}, {}}}); }
  /// H_pp a, a in a_p.
  Request<T> H_pp_times() {
    return request({.directions = {{false, true}}, .result = Contraction::Result::gradient_p});
  }
  /// H_pq a + H_pp b: the derivative of H_p along (a, b), a in a_q and b in a_p.
  Request<T> H_p_along() { return request({.directions = {{true, true}}, .result = Contraction::Result::gradient_p}); }

  /// H_qq a + H_qp b: the derivative of H_q along (a, b), a in a_q and b in a_p.
  Request<T> H_q_along() { return request({.directions = {{true, true}}, .result = Contraction::Result::gradient_q}); }

  /// H(q, p) = T(p) + V(q): H_q does not depend on p (nor H_p on q).
  bool is_separable();

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
  Request<T> request(Contraction contraction) { return {*this, std::move(contraction)}; }
  std::vector<T> evaluate_column(const ContractionBuilder::ColumnOf& column) const;
  void evaluate_mass();

  std::shared_ptr<const Elements> elements_;
  ContractionBuilder builder_;
  KernelCompiler<T> compiler_;
  std::map<Contraction, Operation<T>> operations_;
  std::vector<std::vector<T>> columns_;
  std::vector<std::vector<T>> groups_, adjoints_;  // by mask
  std::vector<T> scales_, row_scales_;             // of group variables, of rows
  std::optional<std::vector<T>> diagonal_mass_;
  bool is_homogeneous_ = false;
};

extern template class System<double>;
extern template class System<long double>;
extern template class System<Quad>;
extern template class System<Lanes>;

}  // namespace cotangent
