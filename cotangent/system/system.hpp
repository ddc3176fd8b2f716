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
  const Operation<T>& H() { return operation({}); }
  const Operation<T>& H_q() { return operation({.result = Contraction::Result::gradient_q}); }
  const Operation<T>& H_p() { return operation({.result = Contraction::Result::gradient_p}); }
  /// g(q), with out::norms.
  const Operation<T>& g() { return operation({.of = Contraction::Of::g, .norms = true}); }
  /// G(q) a with a in a_q, with out::norms.
  const Operation<T>& G_times() { return operation({.of = Contraction::Of::g, .directions = {{}}, .norms = true}); }
  /// G(q)' u with u in weights.
  const Operation<T>& G_transposed_times() {
    return operation({.of = Contraction::Of::weighted_g, .result = Contraction::Result::gradient_q});
  }
  /// g''(q)[a, b], one number per row, a in a_q and b in b_q.
  const Operation<T>& g_qq() { return operation({.of = Contraction::Of::g, .directions = {{}, {}}}); }
  /// H_pp a, a in a_p.
  const Operation<T>& H_pp_times() {
    return operation({.directions = {{false, true}}, .result = Contraction::Result::gradient_p});
  }
  /// H_pq a + H_pp b: the derivative of H_p along (a, b), a in a_q and b in a_p.
  const Operation<T>& H_p_along() {
    return operation({.directions = {{true, true}}, .result = Contraction::Result::gradient_p});
  }

  /// H(q, p) = T(p) + V(q): H_q does not depend on p (nor H_p on q).
  bool is_separable();

  /// The diagonal of W = H_pp where it is diagonal and constant; see constant_diagonal_mass.
  const std::optional<std::vector<T>>& diagonal_mass() const { return diagonal_mass_; }

  /// Moreover H_p = W p.
  bool has_homogeneous_mass() const { return diagonal_mass_ && is_homogeneous_; }

  Frame<T> frame();

  KernelCompiler<T>& compiler() { return compiler_; }
  ContractionBuilder& builder() { return builder_; }

 private:
  std::vector<T> evaluate_column(const ContractionBuilder::ColumnOf& column) const;
  void evaluate_mass();

  std::shared_ptr<const Elements> elements_;
  ContractionBuilder builder_;
  KernelCompiler<T> compiler_;
  std::map<Contraction, Operation<T>> operations_;
  std::vector<std::vector<T>> columns_;
  std::vector<std::vector<T>> groups_, adjoints_;  // by mask
  std::optional<std::vector<T>> diagonal_mass_;
  bool is_homogeneous_ = false;
};

extern template class System<double>;
extern template class System<long double>;
extern template class System<Quad>;
extern template class System<Lanes>;

}  // namespace cotangent
