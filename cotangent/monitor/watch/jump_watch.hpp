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
    archive("values", before_);
    archive("looks", looks_);
    archive("jumps", jumps_);
  }

  /// One for each family of functions that has jumped, in the order in which they did.
  const std::vector<Jump>& jumps() const { return jumps_; }

 private:
  // The numbers of pieces, arguments and columns of instance k of a family are values [first + k stride, + stride).
  struct Watched {
    PiecewiseFamily of;
    std::int64_t first = 0, stride = 0;
    std::vector<Expr> symbols;   // of arguments and columns
    std::vector<Expr> gradient;  // of the smooth function, by those arguments that matter; made when first used
  };
  struct Line;

  JumpWatch(const Model& model, std::shared_ptr<const Elements> observed, std::shared_ptr<Graph> graph,
            std::vector<Watched> families, Backend backend);

  const std::vector<T>& values(const PhasePoint<T>& z) { return values_.observables(z); }
  bool examine(Watched& family, std::int64_t k, const MadeStep<T>& step);
  void make_gradient(Watched& family);
  Jump describe(const Watched& family, std::int64_t k, const Piece& piece, bool is_gradient, double time) const;

  const Model& model_;
  std::shared_ptr<Graph> graph_;
  std::vector<Watched> families_;
  System<T> system_;  // whose observables are what is watched
  Manifold<T> manifold_;
  PointValues<T> values_;
  std::vector<T> before_, after_;
  std::vector<std::int64_t> looks_;  // how often pieces of a family have changed; negative: it has jumped
  std::vector<Jump> jumps_;
};

COTANGENT_DECLARE(PRECISIONS, JumpWatch);

}  // namespace cotangent
