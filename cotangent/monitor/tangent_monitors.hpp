#pragma once

#include <fmt/format.h>

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

/// dq_1.dp_2 - dp_1.dq_2 less its value 1 at the start: what symplectic maps keep.
template <class T>
class WedgeMonitor final : public TangentMonitor<T> {
 public:
  /// @param flow of one pair.
  explicit WedgeMonitor(std::shared_ptr<const TangentFlow<T>> flow) : TangentMonitor<T>("wedge", std::move(flow)) {}

 private:
  double measure_tangents(double /*t*/) override { return this->flow().area() - 1; }
};

/// The largest change of a wedge product among a basis of the tangent space, in units of the coordinates and momenta:
/// with E the basis and M the derivative of the map so far, max |E'M'JME - E'JE|. Where vectors have become long, what
/// rounding errors may make of their products is taken off.
template <class T>
class SymplecticMonitor final : public TangentMonitor<T> {
 public:
  /// @param flow of a basis.
  explicit SymplecticMonitor(std::shared_ptr<const TangentFlow<T>> flow)
      : TangentMonitor<T>("symplectic", std::move(flow)) {}

  void state(Archive& archive) override {
    Monitor<T>::state(archive);
    archive("forms", forms_);
  }

 private:
  void set_reference(const PhasePoint<T>& /*z*/) override {
    forms_.clear();
    each([&](double form, double /*lengths*/, double /*scale*/) { forms_.push_back(form); });
  }
  double measure_tangents(double /*t*/) override {
    double largest = 0;
    std::size_t at = 0;
    each([&](double form, double lengths, double scale) {
      const bool is_long = lengths > kLong * scale;
      const double rounding = is_long ? kRounding * std::numeric_limits<double>::epsilon() * lengths : 0;
      largest = std::max(largest, (std::abs(form - forms_[at++] * scale) - rounding) / scale);
    });
    return largest;
  }

  // The wedge products, the lengths that go into them, and by what both are smaller than they would be.
  template <class F>
  void each(const F& take) const {
    const TangentFlow<T>& flow = this->flow();
    const auto dimension = static_cast<int>(flow.dimension());
    const auto pair_of = [&](int i) -> const TangentPair& { return flow.pairs()[static_cast<std::size_t>(i / 2)]; };
    lengths_.clear();
    for (const TangentPair& pair : flow.pairs()) {
      const TangentPair::Gram g = pair.gram();
      lengths_.push_back(std::sqrt(g.first));
      lengths_.push_back(std::sqrt(g.second));
    }
    const auto length = [&](int i) { return lengths_[static_cast<std::size_t>(i)]; };
    const auto power = [&](int i) { return flow.scale(static_cast<std::size_t>(i)); };
    for (int i = 0; i < dimension; ++i)
      for (int k = i + 1; k < dimension; ++k)
        take(wedge(pair_of(i), i % 2, pair_of(k), k % 2) / pair_of(i).unit(), length(i) * length(k),
             std::ldexp(1.0, -power(i) - power(k)));
  }

  // A step makes an error of about epsilon |d_i| |d_k| in a product, which the steps after it keep. Where lengths grow
  // exponentially that is the error of the last steps; of others it is that of many, and no part of it is taken off.
  static constexpr double kLong = 1e4, kRounding = 30;
  std::vector<double> forms_;
  mutable std::vector<double> lengths_;  // of all vectors; workspace
};

/// The mean rate so far at which neighbours have separated, log(|d_1(t)| / |d_1(0)|) / t: the largest Lyapunov exponent
/// in the end.
template <class T>
class LyapunovMonitor final : public TangentMonitor<T> {
 public:
  /// @param flow of one pair.
  explicit LyapunovMonitor(std::shared_ptr<const TangentFlow<T>> flow)
      : TangentMonitor<T>("lyapunov", std::move(flow)) {}

  bool has_sign() const override { return true; }

 private:
  double measure_tangents(double t) override { return t > 0 ? this->flow().log_growth() / t : 0; }
};

}  // namespace cotangent
