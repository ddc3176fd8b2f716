#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cotangent/scheme/handles.hpp"
#include "cotangent/scheme/structure.hpp"

namespace cotangent::scheme {

class Writer;

/// A point at which the system can be asked.
class Here {
 public:
  Here(const Writer& writer, Vec q, Vec p, Num t, Vec s);

  Vec H_q() const;
  Vec H_p() const;
  Vec H_pp_times(Vec a) const;
  Vec G_times(Vec a) const;
  Vec Gt_times(Vec u) const;
  /// u'g_t, a vector of one number.
  Vec g_t_times(Vec u) const;
  /// psi'[(a, b)] at fixed t.
  Vec psi_along(Vec a, Vec b) const;

  /// g(q, t), and psi = G H_p + g_t.
  Rows g() const;
  Rows psi() const;

  /// F = -H_q + forces, and their power; the rates of the states, to which that power belongs.
  struct Push {
    Vec force, power;
  };
  Push force(Vec lambda) const;
  /// The multipliers of the constrained motion, with the forces at them.
  struct Motion {
    Push push;
    Vec lambda;
  };
  Motion motion() const;
  /// Without multipliers lambda the part lambda'g_t of the work is left out.
  Vec rates(Vec lambda, const Push& push) const;

 private:
  friend class Writer;
  const Writer* w_;
  Vec q_, p_, s_;
  Num t_, force_t_;  // of H and g, if they depend on it; of forces and rates
};

/// A point of a trajectory.
struct PhaseSums {
  Sum q, p, s;
};

/// A matrix of multipliers, factored.
struct Factor {
  Vec factors;
  /// Of multipliers that are not unique, the smallest that do the same.
  Vec smallest(Vec u) const { return detail::record<Vec>(SchemeOp::smallest, {factors, u}, u.size()); }
  Vec solve(Vec r) const { return detail::record<Vec>(SchemeOp::factor_solve, {factors, r}, r.size()); }
};

/// A value, and what is added up inside it, as in 1 - cos a.
struct Energy {
  Vec value, inside;
};

/// F(x) = 0, solved until rounding: x <- x + correct(F(x)).
struct Equation {
  Vec guess;
  std::function<Rows(Vec x)> F;
  std::function<Vec(Vec r)> correct = {};  ///< nothing: x <- x - F(x)
  StepStatus failure = StepStatus::stage_solve_failed;

  /// Kinds of unknowns, one after the other, where `correct` is a preconditioner: what the derivative of F tends to for
  /// small h. See FixedPoint.
  struct Kind {
    std::size_t size;
    Vec base = {};                    ///< vectors as large as those of this kind; nothing for multipliers
    std::function<Vec()> noise = {};  ///< what F's rounding errors leave of them, in units of epsilon, if that is more
  };
  std::vector<Kind> kinds = {};

  /// The equation takes away rounding errors of values; tangents have none that matter. There may be more unknowns than
  /// equations.
  bool is_for_values = false;
};

/// A vector that the next step finds under this name.
struct Kept {
  Kept(std::string name_, Vec value) : name(std::move(name_)), sum{value, {}} {}
  Kept(std::string name_, const Sum& sum_) : name(std::move(name_)), sum(sum_) {}

  std::string name;
  Sum sum;
};

/// What the step before has left. Nothing, if this is the first step or begins at a point that comes from elsewhere.
class Remembered {
 public:
  explicit Remembered(Recorder& recorder);

  Num has() const { return has_; }        ///< 1, or 0
  Num last_h() const { return last_h_; }  ///< or 0
  Num ratio() const { return ratio_; }    ///< h / last_h, or 0
  /// The same, but no more than 2: how far what was found in the step before is continued.
  Num continuation() const { return max(min(ratio_, 2), -2); }

  /// A guess, or zeros; no result depends on it but by rounding errors.
  Vec guess(const std::string& name, std::size_t size) const;
  /// A vector that the map goes on with.
  Sum carried(const std::string& name, const Sum& otherwise) const;
  /// A vector that is a function of the point.
  Vec cached(const std::string& name, std::size_t size, const std::function<Vec()>& make) const;

 private:
  Vec input(const std::string& name, std::size_t size, MemoryRole role) const;

  Recorder* recorder_;
  Num has_, last_h_, ratio_;
};

/// What a method returns: the end of the step, at t + h, and what the next one is to find.
struct Step {
  PhaseSums z;
  std::vector<Kept> memory = {};
  std::vector<Vec> shift = {};  ///< parts q and p of what a projection in it has moved, to be counted
};

/// All that a method sees: it writes its step with it.
class Writer {
 public:
  /// @param structure must outlive this.
  Writer(Recorder& recorder, const Structure& structure);

  const Structure& system;

  /// What is asked there decides what may be left out; t counts where the system depends on the time.
  Here at(Vec q, Vec p = {}, Num t = {}, Vec s = {}) const { return {*this, q, p, t, s}; }
  Here at(const PhaseSums& z, Num t) const { return {*this, z.q, z.p, t, z.s}; }

  /// t + c h.
  Num time(Quad c) const;
  Num number(Quad x) const { return Num{{recorder_, recorder_->constant(x)}}; }
  Vec zeros(std::size_t size) const;

  /// G H_pp G' at a point.
  Factor R(const Here& z) const;
  /// G(Q, t') H_pp(z) G(q, t)', the derivative of g(q + H_pp G' l, t') at Q.
  Factor K(const Here& Q, const Here& z) const;

  /// The end of a step of the method that the scheme is given, of length h, from a point at t.
  PhaseSums inner_step(const PhaseSums& z) const;

  /// The field of the formulation that the scheme is given, (q', p', s') at x = (q, p, s) without the work done.
  Vec field(Vec x, Num t) const;

  /// H in the variables of the formulation, at x = (q, p).
  Energy energy(Vec x, Num t) const;

  /// @return x. Without unknowns the equations are just made.
  Vec solve(const Equation& equation) const;

  /// Of what has been solved for: 1 where simple iteration did not converge fast, else 0.
  Num was_stiff(Vec solution) const;

 private:
  Recorder* recorder_;
};

using WriteStep = std::function<Step(const Writer& w, const PhaseSums& z, Num h, const Remembered& m)>;

/// Runs the code of a method, once.
Scheme write_scheme(const WriteStep& method, const Structure& structure);

}  // namespace cotangent::scheme
