#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/model/model.hpp"
#include "cotangent/monitor/expressions.hpp"
#include "cotangent/monitor/point_entries.hpp"
#include "cotangent/monitor/reference/reference.hpp"

namespace cotangent {

/// The solution that a model states in [exact]: all of q, p and s as functions of t, or some of their entries.
template <class T>
class ExactSolution final : public Reference<T> {
 public:
  /// @pre model.exact is not empty.
  ExactSolution(const Model& model, Backend backend);

  std::optional<SolutionError<T>> error(const PhasePoint<T>& z) override;
  bool knows(PointPart part) const override {
    return std::any_of(entries_.begin(), entries_.end(), [=](const PointEntry& entry) { return entry.part == part; });
  }
  void state(Archive& /*archive*/) override {}  // it remembers nothing

  /// The entry for which the solution and a point at t = 0 differ most, in words; nothing if none do beyond rounding.
  std::string mismatch(const PhasePoint<T>& z);

 private:
  Expressions<T> solution_;
  std::vector<std::string> names_;
  std::vector<PointEntry> entries_;  // by rows of the solution
};

/// Adds a note where [exact] has another start than the run. Looks at nothing if there is no [exact].
template <class T>
void note_exact_mismatch(const Model& model, const PhasePoint<T>& start, std::vector<std::string>& notes);

COTANGENT_DECLARE(PRECISIONS, ExactSolution);

}  // namespace cotangent
