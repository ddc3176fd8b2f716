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

namespace cotangent {

template <class T>
class Legendre;
struct BlackBox;

/// The numerical face of a model: H, g and their derivatives as operations on vectors of T. A workspace of one thread
/// upon a CompiledModel, whose code it shares with others.
///
/// system.at(z).H_q(f) evaluates: see At. Operations are made when first asked for and compiled when first called. What
/// belongs to the system itself is memory: for group variables, and for operations that remember points.
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

  bool vanishes(Derivative derivative) {
    auto& known = vanishing_[static_cast<std::size_t>(derivative)];
    if (!known) known = vanishes(contraction_of(derivative));
    return *known;
  }

  /// Whether a contraction is identically zero, as far as its expressions tell.
  bool vanishes(const Contraction& contraction) const { return model_->vanishes(contraction); }

  std::int64_t observable_count() const { return row_count(elements(), Contraction::Of::observable); }
  std::int64_t invariant_count() const { return row_count(elements(), Contraction::Of::invariant); }

  /// The transformation of a Lagrangian system; a null pointer for others.
  Legendre<T>* legendre() { return legendre_; }

  /// Where operations come from that are not made of elements; a null pointer if all are.
  OperationSource<T>* source() { return source_.get(); }

  /// H(q, p, t) = T(p, t) + V(q, t): H_q does not depend on p (nor H_p on q).
  bool is_separable() const { return model_->is_separable(); }

  /// The diagonal of W = H_pp where it is diagonal and constant.
  const std::optional<std::vector<T>>& diagonal_mass() const { return diagonal_mass_; }

  /// The value of W if it is the same for all coordinates.
  std::optional<Quad> uniform_mass() const;

  /// Moreover H_p = W p.
  bool has_homogeneous_mass() const { return model_->has_homogeneous_mass(); }

  /// Beneath At, for operations that have no name and for kernels of one's own: what may be called with a frame, and a
  /// frame in which everything is set that belongs to the system.
  const Operation<T>& operation(const Contraction& contraction);
  Frame<T> frame();
  KernelCompiler<T>& compiler() const { return model_->compiler<T>(); }

 private:
  friend class At<T>;

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
  std::array<std::optional<bool>, static_cast<std::size_t>(Derivative::kCount)> vanishing_{};
  std::array<T, 2> norms_{};
  Frame<T> frame_;  // of At
};

COTANGENT_DECLARE(NUMBERS, System);

// All of the point: whoever comes next has another one.
template <class T>
inline void At<T>::set(Frame<T>& frame) const {
  frame.in[in::q] = q_;
  frame.in[in::p] = p_;
  frame.in[in::v] = v_;
  frame.in[in::s] = s_;
  frame.in[in::lambda] = lambda_;
  frame.in[in::t] = &t_;
}

template <class T>
inline void At<T>::call(Derivative derivative, T* result, std::same_as<Argument> auto... arguments) const {
  Frame<T>& frame = system_->frame_;
  set(frame);
  ((frame.in[arguments.vector] = arguments.x), ...);
  frame.out[out::result] = result;
  system_->operation(derivative)(frame);
}

template <class T>
inline RowSize<T> At<T>::size(Derivative derivative, T* rows, std::same_as<Argument> auto... arguments) const {
  call(derivative, rows, arguments...);
  return {system_->norms_[0], system_->norms_[1]};
}

}  // namespace cotangent
