#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "cotangent/expr/expr.hpp"

namespace cotangent {

/// What an expression of the language stands for: a number, or a vector of numbers. Vectors live only while a model is
/// read; the model knows their components.
class Value {
 public:
  Value() = default;
  Value(Expr number) : number_(number) {}  // NOLINT(google-explicit-constructor): a number is a value
  explicit Value(std::vector<Expr> components) : components_(std::move(components)) {}

  bool is_vector() const { return !components_.empty(); }

  /// @pre not a vector.
  Expr number() const { return number_; }

  /// Components of a vector; a number is its only one.
  std::vector<Expr> components() const { return is_vector() ? components_ : std::vector{number_}; }
  std::size_t size() const { return is_vector() ? components_.size() : 1; }
  Expr operator[](std::size_t k) const { return is_vector() ? components_[k] : number_; }

  /// A vector, or the number that is its only component.
  static Value of(std::vector<Expr> components, bool is_vector) {
    return is_vector ? Value(std::move(components)) : Value(components[0]);
  }

  /// f(component, its partner) of every component of two values of one size.
  template <class F>
  static Value combine(const Value& a, const Value& b, const F& f) {
    std::vector<Expr> result;
    for (std::size_t k = 0; k < a.size(); ++k) result.push_back(f(a[k], b[k]));
    return of(std::move(result), a.is_vector());
  }

  /// Whether both are numbers, or vectors of one size.
  friend bool alike(const Value& a, const Value& b) { return a.is_vector() == b.is_vector() && a.size() == b.size(); }

  /// f(component) of every component.
  template <class F>
  Value map(const F& f) const {
    return combine(*this, *this, [&](Expr e, Expr) { return f(e); });
  }

  /// "a number", "a vector of 3 components": for messages.
  std::string describe() const {
    if (!is_vector()) return "a number";
    return "a vector of " + std::to_string(size()) + (size() == 1 ? " component" : " components");
  }

 private:
  Expr number_;
  std::vector<Expr> components_;
};

}  // namespace cotangent
