#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cotangent/base/shelf.hpp"
#include "cotangent/elements/elements.hpp"
#include "cotangent/kernel/dual_kernel.hpp"
#include "cotangent/system/operation/contraction.hpp"
#include "cotangent/system/operation/operation.hpp"

namespace cotangent {

/// A model ready to be evaluated, for any number of threads: its elements, facts about its structure, and code.
///
/// Code is made when it is first asked for, under locks, and kept; what it computes depends on the elements and on what
/// was asked for. A System is the workspace of one thread upon it: systems, manifolds and methods that are made of one
/// CompiledModel share all code, and the second one compiles nothing.
class CompiledModel {
 public:
  /// @param backend for those T that it can compute in; the interpreter for others.
  /// @throws std::invalid_argument for Backend::jit if the library was built without LLVM.
  /// @param code that others have made, or will make, to be shared; a null pointer for none.
  CompiledModel(std::shared_ptr<const Elements> elements, Backend backend, std::shared_ptr<MachineCode> code = nullptr);

  const Elements& elements() const { return *elements_; }
  Backend backend() const { return backend_; }
  const std::shared_ptr<MachineCode>& code() const { return code_; }

  /// H(q, p, t) = T(p, t) + V(q, t), or L = T(v, t) - V(q, t): H_q does not depend on p (nor H_p on q).
  bool is_separable() const { return is_separable_; }

  /// Forces, or a dependence on the time, change H.
  bool has_work() const { return has_work_; }

  /// Where W = H_pp is diagonal and constant: whether H_p = W p.
  bool has_homogeneous_mass() const { return has_homogeneous_mass_; }

  /// Whether kernels of element functions are all there is to a contraction: not so for H of a Lagrangian, nor for H
  /// and g that have no families.
  bool is_made_of_elements(const Contraction& contraction) const;

  /// Whether a contraction is identically zero, as far as its expressions tell.
  bool vanishes(const Contraction& contraction) const;

  /// The operation of a contraction that is made of elements.
  template <class T>
  const Operation<T>& operation(const Contraction& contraction) const;

  /// The columns of all families, in the order of ContractionBuilder::columns().
  template <class T>
  const std::vector<std::vector<T>>& columns() const;

  /// The diagonal of W = H_pp where it is diagonal and constant, as far as the symbols tell.
  template <class T>
  const std::optional<std::vector<T>>& diagonal_mass() const;

  /// Kernels that others have written. @param graph of their expressions, which stays as it is.
  template <class T>
  KernelSequence<T> compile(const Graph& graph, const SpecSequence& specs) const;

  template <class T>
  KernelCompiler<T>& compiler() const;

  /// What others make of this model, once: kernels of their own, and plans of them.
  template <class Thing, class Make>
  const Thing& shared(const std::string& key, const Make& make) const {
    return shelf_.find<Thing>(key, make);
  }

 private:
  struct Compilers;

  std::shared_ptr<const Elements> elements_;
  Backend backend_;
  std::shared_ptr<MachineCode> code_;
  std::shared_ptr<Compilers> compilers_;
  Shelf shelf_;
  bool is_separable_ = false, has_work_ = false, has_homogeneous_mass_ = false;
};

}  // namespace cotangent
