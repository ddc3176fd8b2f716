#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/integrator/step_map.hpp"
#include "cotangent/monitor/follower.hpp"
#include "cotangent/monitor/tangent/impetus_tangent.hpp"
#include "cotangent/monitor/tangent/tangent_choice.hpp"
#include "cotangent/monitor/tangent/tangent_frame.hpp"

namespace cotangent {

/// Carries tangent vectors along a run, through its discrete map: stages, the solves in them, changes of charts and
/// projections are differentiated as they are made, because every step of the run is made again over dual numbers.
/// Lengths of steps are those of the run. Neither they nor the choice of a chart, or of whether a point is projected,
/// has derivatives.
///
/// At the beginning of a step the values are set to those of the run. Between them and its own there is no more than
/// rounding, so that a chart, say, is the same for both; but neighbours in a chaotic system separate.
///
/// Vectors that are carried along become long, or short, most of them in the same direction, and products of long
/// vectors are small differences of large numbers. So the motion is cut into stretches, in each of which vectors stay
/// in shape. A stretch begins with a frame E_k of unit vectors that are orthogonal to each other; with M_k the
/// derivative of the map in the stretch,
///
///   M_k E_k = E_{k+1} R_k,   R_k upper triangular, with a positive diagonal.
///
/// The first vector grows by the product of the R_11. The area of a pair, w_k = E_k' J E_k, changes by the product of
/// the (M_k E_k)' J M_k E_k / w_k. Where neighbours separate exponentially w_k becomes small all the same. Then the
/// second vector of a pair is taken anew (the only time that something is allocated), while the first goes on without
/// the states beside the motion, which are in the lengths of vectors but not in their product.
///
/// The changes of the wedge products of all pairs of a basis are added up,
///
///   D_k = E_k' M_k' J M_k E_k - E_k' J E_k.
///
/// A symplectic map has D_k = 0 in every stretch. Of the product M = ... M_2 M_1
///
///   E_1' M' J M E_1 - E_1' J E_1 = D_1 + R_1' D_2 R_1 + R_1' R_2' D_3 R_2 R_1 + ...,
///
/// so that the sum is its change with the growth R of the vectors left out, which makes large figures of small ones,
/// and of rounding errors.
///
/// Variables of an impetus are lifted anew when a stretch begins: see ImpetusTangent. The work done, which is carried
/// as a state, has derivatives that nothing but a projection to the energy depends on; they do not shrink where vectors
/// do, and are dropped. What a method keeps of the beginning has derivatives, too: a projection to invariants returns
/// to the values that they have there, which are others for a neighbour.
///
/// Reference: [leimkuhler-reich94, section 3.2].
template <class T>
class TangentFlow final : public Follower<T> {
 public:
  enum class Extent : std::uint8_t {
    one_pair,    ///< two vectors that span an area
    neighbour,   ///< one vector, that of a neighbour in all variables: the states count
    basis,       ///< of the space of all consistent vectors
    everything,  ///< of all variables, the states too
  };

  /// @param manifold of the run; must outlive this.
  TangentFlow(Manifold<T>& manifold, std::shared_ptr<StepMap<Tangents>> map, Extent extent)
      : manifold_(manifold), map_(std::move(map)), choice_(*map_), extent_(extent) {}

  void start(const PhasePoint<T>& z, LaneOf<T> h) override;
  void follow(const MadeStep<T>& step) override;
  void state(Archive& archive) override;

  const TangentFrame& frame() const { return frame_; }

  /// The wedge product of a pair, in units of what it is at the start. Beyond the range of numbers it is infinite, or
  /// nothing.
  double area() const { return in_units(gram_.wedge); }

  /// The largest change of a wedge product of a basis.
  double defect() const;

  /// log of the length of the first vector, in units of that at the start.
  double log_growth() const { return log_scale_ + 0.5 * std::log(gram_.first); }

  /// log |det M|, M the derivative of the map in all variables: the sum of log |det R_k|, a stretch being one step.
  double log_volume() const { return log_volume_; }

  /// What rounding errors of one unit in each step come to in the wedge product of a pair: a random walk, or, in a long
  /// run, a hundredth of their sum. (Tangents of a shear are added to by the same number again and again: a tenth of
  /// their errors has the same sign.)
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

  LaneOf<T> start_time() const { return start_time_; }
  /// The first step in which the length of the first vector has changed by more than all of a stretch may: the
  /// derivative of so long a step is not that of the motion, however small the error of its point is.
  struct LongStep {
    double time, factor;

    void state(Archive& archive) {
      archive("time", time);
      archive("factor", factor);
    }
  };
  const std::optional<LongStep>& long_step() const { return long_step_; }

 private:
  TangentFrame first_frame(const PhasePoint<T>& z);
  void begin_stretch();
  void end_stretch();
  void reshape(const PhasePoint<T>& z);
  std::size_t renew(const PhasePoint<T>& z);
  void lose(const PhasePoint<T>& z, const std::string& why);
  double in_units(double wedge) const { return std::scalbln(area_ * (wedge / wedge_before_), area_power_); }
  template <class F>
  void each_product(const F& take) const;

  Manifold<T>& manifold_;
  std::shared_ptr<StepMap<Tangents>> map_;
  TangentChoice<T> choice_;
  std::optional<ImpetusTangent> impetus_;  // where there is one
  Extent extent_;
  TangentFrame frame_;
  TangentFrame::Gram gram_ = {};  // of the first point
  double log_scale_ = 0;          // of the first vector, at the beginning of the stretch
  double area_ = 1;               // then, times 2^area_power_
  std::int64_t area_power_ = 0;
  double wedge_before_ = 1;             // of the first pair, then
  std::vector<double> products_, sum_;  // of a basis: products then, and changes in the stretches before
  double log_volume_ = 0;
  double rounding2_ = 0, rounding_sum_ = 0;  // of the squares of errors, and of errors
  std::optional<Loss> loss_;
  LaneOf<T> start_time_ = 0;
  std::optional<LongStep> long_step_;
};

COTANGENT_DECLARE(PRECISIONS, TangentFlow);

}  // namespace cotangent
