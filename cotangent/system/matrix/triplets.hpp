#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cotangent/system/system.hpp"

namespace cotangent {

/// A place in a sparse matrix in triplets: the element at (row, column) is the sum of the values of all triplets there.
struct TripletPlace {
  std::int64_t row, column;
};

/// The part of such a matrix whose values come from the element functions of families: derivatives of them, one value
/// for each instance.
class TripletPlan {
 public:
  /// One value for each instance of a family: what it is, and where.
  struct Value {
    Expr value;
    const IndexMap* row;
    const IndexMap* column;
  };

  /// @param elements must outlive this.
  explicit TripletPlan(const Elements& elements) : builder_(elements) {}

  /// What values are made of.
  const ContractionBuilder& builder() const { return builder_; }

  /// @param family of the elements; its expressions are those of builder().own(family).
  void add(const Family& family, const std::vector<Value>& values);

  const std::vector<TripletPlace>& places() const { return places_; }
  const SpecSequence& specs() const { return specs_; }

 private:
  ContractionBuilder builder_;
  std::vector<TripletPlace> places_;
  SpecSequence specs_;
};

/// Evaluates a plan.
template <class T>
class Triplets {
 public:
  /// @param key of the plan among those of the model. @param model and plan must outlive this.
  Triplets(const CompiledModel& model, std::string key, const TripletPlan& plan)
      : model_(model), key_(std::move(key)), plan_(plan) {}

  /// Sets places()[e] of the result of the frame for every triplet. Does not allocate once it has been called.
  void evaluate(const Frame<T>& frame) {
    if (!kernels_)
      kernels_ = &model_.shared<KernelSequence<T>>(
          key_, [&] { return model_.compile<T>(*plan_.builder().graph(), plan_.specs()); });
    (*kernels_)(frame);
  }

  const std::vector<TripletPlace>& places() const { return plan_.places(); }

 private:
  const CompiledModel& model_;
  std::string key_;
  const TripletPlan& plan_;
  const KernelSequence<T>* kernels_ = nullptr;  // compiled when first used
};

}  // namespace cotangent
