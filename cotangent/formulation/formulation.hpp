#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "cotangent/base/fingerprint.hpp"
#include "cotangent/base/point.hpp"
#include "cotangent/base/scalar.hpp"
#include "cotangent/base/step_status.hpp"
#include "cotangent/formulation/formulation_options.hpp"
#include "cotangent/manifold/manifold.hpp"
#include "cotangent/projection/projection_policy.hpp"
#include "cotangent/projection/projection_tally.hpp"

namespace cotangent {

/// What a formulation claims; printed by `cotangent list formulations`, and measured by its contract suite.
struct FormulationFacts {
  std::string name;
  std::string description;         ///< one line
  std::string variables = "q, p";  ///< what is integrated
  bool is_physical = true;         ///< it is q and p
  bool hamiltonian = false;        ///< off the manifold too, in its variables
  // First integrals of the field, off the manifold too, where neither forces nor the time change H.
  bool keeps_g = false;
  bool keeps_psi = false;
  bool keeps_H = false;
  // What holds by construction, whatever a method does.
  bool on_position = false;                 ///< g = 0
  bool on_momentum = false;                 ///< psi = 0
  bool reversible = true;                   ///< a symmetric method is symmetric on it
  std::string residuals;                    ///< what g and psi do off the manifold
  std::string derivatives;                  ///< the highest ones that it needs, of g and H
  std::string moving;                       ///< its rule for g(q, t) and forces
  std::string applies_to = "every system";  ///< the systems it can take, in words
  std::string reference;                    ///< key in docs/references.bib
};

/// Why a formulation has no field.
struct FieldFailure {
  StepStatus status = StepStatus::ok;
  std::int64_t row = -1;  ///< the constraint whose pivot vanished, if known
};

/// A vector field that equals the constrained motion on the manifold and is free off it: x' = f(x), in variables
/// x = (q, p) or others of its own, which come in two halves of equal size, and the states s beside them.
///
/// The tangent of a field, for the wedge product, is the same code over dual numbers.
template <class T>
class Formulation {
 public:
  virtual ~Formulation() = default;

  const FormulationFacts& facts() const { return facts_; }

  /// (q', p', s') at z, in the formulation's variables. Does not allocate. False in lanes where failure() says why.
  [[nodiscard]] virtual Mask<T> field(const PointRef<T>& z, T* q_dot, T* p_dot, T* s_dot) = 0;

  /// The multipliers at the last call of field(), as far as it needs them.
  virtual const std::vector<T>& multipliers() const = 0;

  /// What field(), enter() or leave() did not find in a lane in which the last of these calls failed.
  const FieldFailure& failure(int lane) const { return failures_[static_cast<std::size_t>(lane)]; }

  /// Whether the variables are q and p themselves; then enter() and leave() are not called.
  bool is_physical() const { return facts().is_physical; }

  /// The size of each half of the variables.
  virtual std::int64_t size() const = 0;

  /// The variables of a physical point, and back. What enter() finds in `own` may be a guess from before. The states s
  /// and the times are the caller's affair. Do not allocate after the first call.
  [[nodiscard]] virtual Mask<T> enter(const PhasePoint<T>& /*physical*/, OwnVariables<T>& /*own*/) { return true; }
  [[nodiscard]] virtual Mask<T> leave(const OwnVariables<T>& /*own*/, PhasePoint<T>& /*physical*/) { return true; }

  /// The lanes in which variables should be made anew from q and p after own.steps steps.
  virtual Mask<T> is_worn(const OwnVariables<T>& /*own*/, const PhasePoint<T>& /*physical*/) const {
    return Mask<T>(false);
  }

  /// The next calls are those of a step of this length.
  virtual void set_step(LaneOf<T> /*h*/) {}

  /// A step begins at z, which has come with these variables. Formulations in charts choose one for it. When the step
  /// has been made is_right_chart() says whether it was the right one for both ends; if not it has chosen the right
  /// one, and the step is to be made again from its beginning. Of a step of length h that failed
  /// choose_another_chart() says whether it has chosen one in which it is to be tried again.
  virtual void begin_step(const PhasePoint<T>& /*z*/, const OwnVariables<T>& /*own*/) {}
  [[nodiscard]] virtual bool is_right_chart(const PhasePoint<T>& /*begin*/, const PhasePoint<T>& /*end*/) {
    return true;
  }
  [[nodiscard]] virtual bool choose_another_chart(const PhasePoint<T>& /*z*/, LaneOf<T> /*h*/) { return false; }
  /// Steps that are parts of one: as long as the chart is held begin_step() keeps it and is_right_chart() finds it
  /// right.
  virtual void hold_chart(bool /*is_held*/) {}

  /// See Integrator::count_projections().
  virtual void count_projections(ProjectionTally<T>* /*tally*/) {}

  /// Whether variables that a point carries are those of this formulation, and of the point.
  virtual bool owns(const OwnVariables<T>& own) const {
    const auto half = static_cast<std::size_t>(size());
    const auto fits = [half](const std::vector<T>& x) { return x.size() == half; };
    return own.is_current && own.owner == id() && fits(own.q) && fits(own.p) && fits(own.q_low) && fits(own.p_low);
  }
  /// From now on they are.
  virtual void sign(OwnVariables<T>& own) const { own.owner = id(); }
  /// The same for all formulations of that name.
  std::uint64_t id() const { return id_.value(); }

 protected:
  explicit Formulation(FormulationFacts facts) : facts_(std::move(facts)) { id_.add(facts_.name); }

  /// found &= more, and remembers why in lanes that are lost now. @param why a StepStatus, or called with a lane.
  template <class Why>
  void narrow(Mask<T>& found, const Mask<T>& more, const Why& why) {
    const Mask<T> lost = found & !more;
    if (!any(lost)) return;
    for (int i = 0; i < lane_count<T>; ++i) {
      if (!lane(lost, i)) continue;
      if constexpr (std::is_same_v<Why, StepStatus>) {
        failures_[static_cast<std::size_t>(i)] = {why};
      } else {
        failures_[static_cast<std::size_t>(i)] = why(i);
      }
    }
    found = found & more;
  }

 private:
  FormulationFacts facts_;
  Fingerprint id_;
  std::array<FieldFailure, static_cast<std::size_t>(lane_count<T>)> failures_;
};

template <class T>
struct FormulationEntry {
  FormulationFacts facts;
  std::unique_ptr<Formulation<T>> (*factory)(Manifold<T>& manifold, const FormulationOptions& options);
  bool needs_third_derivatives = false;

  /// @throws std::invalid_argument if it does not apply to the system: which condition failed and what to use instead.
  std::unique_ptr<Formulation<T>> make(Manifold<T>& manifold, const FormulationOptions& options = {}) const;
};

/// Every formulation that is a vector field; adding one is a line here.
template <class T>
const std::vector<FormulationEntry<T>>& formulations();

/// @throws std::invalid_argument if there is none of that name.
template <class T>
const FormulationEntry<T>& find_formulation(std::string_view name);

/// The field that all of them equal on the manifold: `standard`, or `equations` of a system without coordinates.
/// @param manifold must outlive it.
template <class T>
std::unique_ptr<Formulation<T>> underlying_field(Manifold<T>& manifold);

/// The names of all of them, that one first: what a method for vector fields takes.
std::vector<std::string> field_formulations(std::string_view first);

/// The constrained equations themselves, q' = H_p, p' = -H_q - G' lambda, g(q) = 0: no vector field, and nothing off
/// the manifold, but what methods such as rattle discretise.
FormulationFacts direct_facts();

}  // namespace cotangent
