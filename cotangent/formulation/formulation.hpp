#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cotangent/base/scalar.hpp"
#include "cotangent/manifold/manifold.hpp"

namespace cotangent {

/// What a formulation claims; printed by `cotangent list formulations`.
struct FormulationFacts {
  std::string name;
  std::string description;   ///< one line
  bool hamiltonian = false;  ///< off the manifold too
  std::string invariants;    ///< which of g, psi, H it conserves off the manifold, in words
  std::string reference;     ///< key in docs/references.bib
};

/// A vector field z' = f(z) on phase space that equals the constrained motion on the manifold and is free off it.
template <class T>
class Formulation {
 public:
  virtual ~Formulation() = default;

  const FormulationFacts& facts() const { return facts_; }

  /// (q', p', s') at z. Does not allocate. False in lanes where the multipliers are not found.
  [[nodiscard]] virtual Mask<T> field(const PointRef<T>& z, T* q_dot, T* p_dot, T* s_dot) = 0;

  /// The multipliers at the last call of field().
  virtual const std::vector<T>& multipliers() const = 0;

  /// The constraint whose pivot vanished when field() last failed; -1 if forces that depend on multipliers made it
  /// fail.
  virtual std::int64_t singular_row() const = 0;

 protected:
  explicit Formulation(FormulationFacts facts) : facts_(std::move(facts)) {}

 private:
  FormulationFacts facts_;
};

template <class T>
struct FormulationEntry {
  FormulationFacts facts;
  std::unique_ptr<Formulation<T>> (*make)(Manifold<T>& manifold);
};

/// Every formulation that is a vector field; adding one is a line here.
template <class T>
const std::vector<FormulationEntry<T>>& formulations();

/// @throws std::invalid_argument if there is none of that name.
template <class T>
const FormulationEntry<T>& find_formulation(std::string_view name);

/// The constrained equations themselves, q' = H_p, p' = -H_q - G' lambda, g(q) = 0: no vector field, and nothing off
/// the manifold, but what methods such as rattle discretise.
FormulationFacts direct_facts();

}  // namespace cotangent
