#pragma once

#include <fmt/core.h>

#include <limits>
#include <memory>
#include <vector>

#include "cotangent/monitor/monitor.hpp"
#include "cotangent/monitor/tangent_flow.hpp"

namespace cotangent {

/// What is told of the tangents of a run; not a number once they are lost.
template <class T>
class TangentMonitor : public Monitor<T> {
 public:
  bool is_of_point() const final { return false; }
  std::string remark() const final {
    if (!flow_->loss()) return {};
    return fmt::format("'{}' is not known after t = {:g}: {}", this->name(), flow_->loss()->time, flow_->loss()->why);
  }
  const TangentFlow<T>& flow() const { return *flow_; }

 protected:
  TangentMonitor(std::string name, std::shared_ptr<const TangentFlow<T>> flow)
      : Monitor<T>(std::move(name)), flow_(std::move(flow)) {}

 private:
  virtual double measure_tangents(double t) = 0;
  T measure(const PhasePoint<T>& z) final {
    return T(flow_->loss() ? std::numeric_limits<double>::quiet_NaN() : measure_tangents(static_cast<double>(z.t)));
  }

  std::shared_ptr<const TangentFlow<T>> flow_;
};

/// dq_1.dp_2 - dp_1.dq_2 less its value 1 at the start: what symplectic maps keep. See TangentPair.
template <class T>
class WedgeMonitor final : public TangentMonitor<T> {
 public:
  /// @param flow of one pair.
  explicit WedgeMonitor(std::shared_ptr<const TangentFlow<T>> flow) : TangentMonitor<T>("wedge", std::move(flow)) {}

 private:
  double measure_tangents(double /*t*/) override { return this->flow().area() - 1; }
};

/// The largest change of a wedge product among a basis of the tangent space, added up over stretches in which vectors
/// do not become long: see TangentBasis.
template <class T>
class SymplecticMonitor final : public TangentMonitor<T> {
 public:
  /// @param flow of a basis.
  explicit SymplecticMonitor(std::shared_ptr<const TangentFlow<T>> flow)
      : TangentMonitor<T>("symplectic", std::move(flow)) {}

 private:
  double measure_tangents(double /*t*/) override { return this->flow().defect(); }
};

/// The mean rate so far at which neighbours have separated, log(|d_1(t)| / |d_1(0)|) / t: the largest Lyapunov exponent
/// in the end.
template <class T>
class LyapunovMonitor final : public TangentMonitor<T> {
 public:
  /// @param flow of one pair; of a neighbour, where there are numbers beside q and p.
  explicit LyapunovMonitor(std::shared_ptr<const TangentFlow<T>> flow)
      : TangentMonitor<T>("lyapunov", std::move(flow)) {}

  bool has_sign() const override { return true; }

 private:
  double measure_tangents(double t) override { return t > 0 ? this->flow().log_growth() / t : 0; }
};

}  // namespace cotangent
