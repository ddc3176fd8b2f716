#pragma once

#include "cotangent/manifold/manifold.hpp"
#include "cotangent/monitor/follower.hpp"
#include "cotangent/monitor/octave_schedule.hpp"
#include "cotangent/monitor/point_values.hpp"

namespace cotangent {

/// What rounding errors of one unit may do to numbers that are watched, the largest along a run, of the steps of an
/// OctaveSchedule.
template <class T>
class LevelWatch final : public Follower<T> {
 public:
  /// @param manifold must outlive this.
  explicit LevelWatch(Manifold<T>& manifold) : manifold_(manifold), values_(manifold), H_(manifold.system().H()) {}

  void start(const PhasePoint<T>& z, LaneOf<T> h) override;
  void follow(const MadeStep<T>& step) override;

  double position() const { return position_; }          ///< of g
  double momentum() const { return momentum_; }          ///< of G H_p
  double energy() const { return energy_; }              ///< of H: epsilon times |H| + sum_j |p_j v_j|
  double first_energy() const { return first_energy_; }  ///< the same at the start
  double size() const { return size_; }                  ///< of the point: epsilon times its largest number
  double product() const { return product_; }  ///< epsilon times the largest product of two numbers of the point

  /// Looks at another point: the last one, say.
  void look(const PhasePoint<T>& z);

  void state(Archive& archive) override {
    archive("schedule", is_picked_);
    archive("position", position_);
    archive("momentum", momentum_);
    archive("energy", energy_);
    archive("first_energy", first_energy_);
    archive("size", size_);
    archive("product", product_);
  }

 private:
  Manifold<T>& manifold_;
  PointValues<T> values_;
  Request<T> H_;
  OctaveSchedule is_picked_;
  double position_ = 0, momentum_ = 0, energy_ = 0, first_energy_ = 0, size_ = 0, product_ = 0;
};

extern template class LevelWatch<double>;
extern template class LevelWatch<long double>;
extern template class LevelWatch<Quad>;

}  // namespace cotangent
