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

  /// f(component) of every component.
  template <class F>
  Value map(const F& f) const {
    if (!is_vector()) return f(number_);
    std::vector<Expr> result;
    for (const Expr e : components_) result.push_back(f(e));
    return Value(std::move(result));
  }

  /// "a number", "a vector of 3 components": for messages.
  std::string describe() const;

 private:
  Expr number_;
  std::vector<Expr> components_;
};

/// The inner product. @pre equal sizes.
Expr dot(const Value& a, const Value& b);

/// The vector product. @pre three components each.
Value cross(const Value& a, const Value& b);

}  // namespace cotangent
