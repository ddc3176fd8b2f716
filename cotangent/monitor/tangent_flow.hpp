#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/monitor/follower.hpp"
#include "cotangent/monitor/impetus_tangent.hpp"
#include "cotangent/monitor/step_map.hpp"
#include "cotangent/monitor/tangent_basis.hpp"
#include "cotangent/monitor/tangent_choice.hpp"
#include "cotangent/monitor/tangent_pair.hpp"

namespace cotangent {

/// Carries tangent vectors along a run, through its discrete map: stages, the solves in them, changes of charts and
/// projections are differentiated as they are made, because every step of the run is made again over dual numbers.
/// Lengths of steps are those of the run. Neither they nor the choice of a chart, or of whether a point is projected,
/// has derivatives.
///
/// At the beginning of a step the values are set to those of the run. Between them and its own there is no more than
/// rounding, so that a chart, say, is the same for both; but neighbours in a chaotic system separate.
///
/// Where neighbours separate exponentially the wedge product becomes a small difference of large numbers. Before that
/// the second vector of the pair is renewed (the only time that something is allocated), while the first goes on; what
/// the product had become counts as the beginning of the next stretch. States beside the motion are in the lengths of
/// vectors, but not in their product: where they are the longer part both vectors go on without them.
///
/// Variables of an impetus are the same kind of memory: see ImpetusTangent. Whenever vectors are combined they are
/// lifted anew, and what the product is then counts as the beginning of a stretch, too.
///
/// Vectors become shorter or longer without bound. Whatever a system does they are brought back by a common factor,
/// whose logarithm is kept. The work done, which is carried as a state, has derivatives that nothing but a projection
/// to the energy depends on; they do not shrink where vectors do, and are dropped.
///
/// What a method keeps of the beginning has derivatives, too: a projection to invariants returns to the values that
/// they have there, which are others for a neighbour.
///
/// Vectors to begin with are those of a TangentChoice.
///
/// Reference: [leimkuhler-reich94, section 3.2].
template <class T>
class TangentFlow final : public Follower<T> {
 public:
  enum class Extent : std::uint8_t {
    one_pair,   ///< kept in shape by TangentPair::balance
    neighbour,  ///< one vector, that of a neighbour in all variables: the states count
    basis,      ///< of the space of all consistent vectors, see TangentBasis
  };

  /// @param manifold of the run; must outlive this.
  TangentFlow(Manifold<T>& manifold, std::shared_ptr<StepMap<Tangents>> map, Extent extent)
      : manifold_(manifold), map_(std::move(map)), choice_(*map_), extent_(extent) {}

  void start(const PhasePoint<T>& z, LaneOf<T> h) override;
  void follow(const MadeStep<T>& step) override;
  void state(Archive& archive) override;

  /// Vectors 2 k and 2 k + 1 are those of pair k. The dimension of a basis may be odd: then the last vector is zero.
  const std::vector<TangentPair>& pairs() const { return pairs_; }
  std::size_t dimension() const { return dimension_; }

  /// The wedge product of the first pair, in units of what it is at the start.
  double area() const { return in_units(wedge_); }

  /// The change of the wedge products of a basis.
  double defect() const { return basis_.largest(pairs_); }

  /// log of the length of the first vector, in units of that at the start.
  double log_growth() const;

  /// What rounding errors of one unit in each step come to in the wedge product of the first pair: a random walk, or,
  /// in a long run, a hundredth of their sum. (Tangents of a shear are added to by the same number again and again: a
  /// tenth of their errors has the same sign.)
  double rounding() const { return std::max(std::sqrt(rounding2_), rounding_sum_ / 100); }

  /// When tangents were lost, and why: a step could not be made over dual numbers, or there are no directions to go.
  struct Loss {
    double time;
    std::string why;

    void state(Archive& archive) {
      archive("time", time);
      archive("why", why);
    }
  };
  const std::optional<Loss>& loss() const { return loss_; }

 private:
  void renew(const PhasePoint<T>& z);
  void rescale(TangentPair& pair, TangentPair::Gram& g, double reach);
  bool lift(TangentPair& pair);
  void count_from(double area_now);
  void follow_pair(const PhasePoint<T>& end);
  double in_units(double area) const;
  Manifold<T>& manifold_;
  std::shared_ptr<StepMap<Tangents>> map_;
  TangentChoice<T> choice_;
  std::unique_ptr<ImpetusTangent> impetus_;  // where there is one
  Extent extent_;
  std::vector<TangentPair> pairs_;
  std::size_t dimension_ = 0;
  double log_start_ = 0, log_scale_ = 0;
  // The wedge product of the first pair, and the unit it is given in, area_unit_ 2^area_power_.
  double wedge_ = 1, area_unit_ = 1;
  std::int64_t area_power_ = 0;
  double rounding2_ = 0, rounding_sum_ = 0;  // of the squares of errors, and of errors
  TangentBasis basis_;
  std::optional<Loss> loss_;
};

COTANGENT_DECLARE(PRECISIONS, TangentFlow);

}  // namespace cotangent
