#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/elements/element_pieces.hpp"
#include "cotangent/model/model.hpp"
#include "cotangent/monitor/follower.hpp"
#include "cotangent/monitor/point_values.hpp"

namespace cotangent {

/// Somewhere in a run a function of the model has jumped, or its gradient has.
struct Jump {
  double time = 0;
  std::string text;             ///< a sentence for the user
  bool is_of_energy = false;    ///< H itself jumps: no step sees a force there
  bool is_of_gradient = false;  ///< the energy is continuous, and its gradient is not

  void state(Archive& archive) {
    archive("time", time);
    archive("text", text);
    archive("is_of_energy", is_of_energy);
    archive("is_of_gradient", is_of_gradient);
  }
};

/// Watches for steps that cross a place where if, abs, min, max, ... make the energy, a constraint or their gradients
/// jump, or a force, the dissipation's gradient or a rate.
///
/// Each function f(x) = smooth(x, b(x)) has the numbers b of its pieces (pieces.hpp) evaluated at the ends of steps,
/// x_0 and x_1. Where they differ, the place is sought at which they change on the line from x_0 to x_1. There
///
///   D(x) = smooth(x, b after) - smooth(x, b before)
///
/// is the jump of f, and D' that of its gradient; at a place where nothing jumps they vanish, compared with what they
/// are at x_0 and x_1. Of each family of functions the first jump is told.
template <class T>
class JumpWatch final : public Follower<T> {
 public:
  /// Null if no function of the model has pieces. @param model outlives the watch.
  static std::shared_ptr<JumpWatch> make(const Model& model, const Elements& elements, Backend backend);

  void start(const PhasePoint<T>& z, LaneOf<T> h) override;
  void follow(const MadeStep<T>& step) override;
  void state(Archive& archive) override {
    const std::size_t values = before_.size(), looks = looks_.size();
    archive("numbers", numbers_, "arguments", arguments_);
    archive("values", before_);
    archive("looks", looks_);
    if (before_.size() != values || looks_.size() != looks) archive.fail("the pieces of another model");
    archive("jumps", jumps_);
  }

  /// Looks whether a step of length h from z, which could not be made, would have crossed a jump: along the motion at
  /// z.
  void look_ahead(const Point<T>& z, LaneOf<T> h);

  /// One for each family of functions that has jumped, in the order in which they did.
  const std::vector<Jump>& jumps() const { return jumps_; }

 private:
  struct Watched {
    PiecewiseFamily of;
    std::int64_t first = 0;           // of the numbers of its pieces, instance by instance
    std::int64_t first_argument = 0;  // of its arguments and columns, likewise
    std::vector<Expr> symbols;        // of these
    std::vector<Expr> gradient;       // of the smooth function, by those arguments that matter; made when first used
  };
  struct Line;

  /// The elements with some expressions of their families as observables, evaluated at points.
  class Values {
   public:
    Values(std::shared_ptr<const Elements> elements, Backend backend)
        : system_(std::move(elements), backend), manifold_(system_), values_(manifold_) {}

    void start(const PhasePoint<T>& z);
    void state(Archive& archive) { manifold_.matrix().state(archive); }
    const std::vector<T>& operator()(const PhasePoint<T>& z) { return values_.observables(z); }
    const Elements& elements() const { return system_.elements(); }
    Manifold<T>& manifold() { return manifold_; }

   private:
    System<T> system_;
    Manifold<T> manifold_;
    PointValues<T> values_;
  };

  JumpWatch(const Model& model, std::shared_ptr<Graph> graph, std::vector<Watched> families,
            std::shared_ptr<const Elements> numbers, std::shared_ptr<const Elements> arguments, Backend backend);

  bool examine(Watched& family, std::int64_t k, const MadeStep<T>& step, std::int64_t& looks);
  void make_gradient(Watched& family);
  Jump describe(const Line& line, std::int64_t k, const Piece& piece, bool is_gradient, double time) const;

  const Model& model_;
  std::shared_ptr<Graph> graph_;
  std::vector<Watched> families_;
  Values numbers_, arguments_;  // of pieces, at every step; and where one has changed
  std::vector<T> before_, after_, from_, to_;
  bool has_arguments_ = false;       // from_ and to_ are those of the step
  std::vector<std::int64_t> looks_;  // changes of pieces of a family that were looked at; negative: it has jumped
  std::vector<Jump> jumps_;
};

COTANGENT_DECLARE(PRECISIONS, JumpWatch);

}  // namespace cotangent
