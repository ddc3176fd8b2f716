#include "cotangent/analyze/stability/transition.hpp"

#include <algorithm>
#include <cmath>
#include <random>

namespace cotangent {
namespace {

double spectral_radius(const Matrix& a) {
  double largest = 0;
  for (const Complex& x : eigenvalues(a)) largest = std::max(largest, std::abs(x));
  return largest;
}

// By how much errors of a matrix, of this size, may move its spectral radius: eigenvalues that are equal move by roots
// of them.
double spread_of_radius(const Matrix& a, double error) {
  constexpr int kTrials = 8;
  std::mt19937_64 random(20240229);
  std::normal_distribution<double> normal;
  const double radius = spectral_radius(a);
  double spread = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    Matrix moved = a;
    for (double& x : moved.values) x += error * normal(random);
    spread = std::max(spread, std::abs(spectral_radius(moved) - radius));
  }
  return 2 * spread;
}

}  // namespace

const char* name_of(Fate::Kind kind) {
  static constexpr const char* names[] = {"decay", "bounded", "power", "exponential", "undecided"};
  return names[static_cast<std::size_t>(kind)];
}

Matrix Transition::advance(const Matrix& psi, const Matrix& A_0, const Matrix& A_1, const Matrix& A_2, double h) const {
  const Matrix k_1 = product(A_0, psi), k_2 = product(A_1, sum(psi, h / 2, k_1)),
               k_3 = product(A_1, sum(psi, h / 2, k_2)), k_4 = product(A_2, sum(psi, h, k_3));
  return sum(sum(sum(sum(psi, h / 6, k_1), h / 3, k_2), h / 3, k_3), h / 6, k_4);
}

void Transition::add(Matrix A) {
  if (window_.empty()) fine_ = coarse_ = basis_.rows == 0 ? Matrix::identity(A.rows) : basis_;
  window_.push_back(std::move(A));
  if (window_.size() < 5) return;
  fine_ = advance(fine_, window_[0], window_[1], window_[2], 2 * step_);
  fine_ = advance(fine_, window_[2], window_[3], window_[4], 2 * step_);
  coarse_ = advance(coarse_, window_[0], window_[2], window_[4], 4 * step_);
  window_.erase(window_.begin(), window_.begin() + 4);
  const double size = norm(fine_);
  log_norms_.push_back(log_factor_ + std::log(size));
  // Powers of two round nothing.
  if (const int power = std::ilogb(size); size > 0 && std::abs(power) > 8) {
    for (Matrix* psi : {&fine_, &coarse_})
      for (double& x : psi->values) x = std::ldexp(x, -power);
    log_factor_ += power * std::log(2.0);
  }
}

double Transition::relative_error() const { return norm(sum(fine_, -1, coarse_)) / (15 * norm(fine_)); }

std::vector<Complex> Transition::multipliers() const {
  auto values = eigenvalues(psi());
  for (Complex& x : values) x *= std::exp(log_factor_);
  return values;
}

Fate Transition::fate_of_periodic() const {
  const Matrix Psi = psi();
  const double radius = spectral_radius(Psi), size = norm(Psi);
  // Rounding errors of a sum of so many steps.
  const double rounding = 1e-16 * static_cast<double>(4 * log_norms_.size());
  const double spread = spread_of_radius(Psi, size * std::max(relative_error(), rounding)) / radius;
  Fate fate{.rate = (std::log(radius) + log_factor_) / duration(), .rate_error = spread / duration()};
  if (!(spread < 0.1)) {
    fate.kind = Fate::Kind::undecided;
  } else if (std::abs(fate.rate) > fate.rate_error) {
    fate.kind = fate.rate > 0 ? Fate::Kind::exponential : Fate::Kind::decay;
  } else {
    // Multipliers of size one: whether they are simple is seen in the powers Psi^K, up to where errors would be.
    int doublings = 12;
    while (doublings > 0 && std::ldexp(spread, doublings) > 0.1) --doublings;
    if (doublings < 4) {
      fate.kind = Fate::Kind::undecided;
      return fate;
    }
    const int first = doublings / 2;
    Matrix power = Psi;
    double at_first = 0;
    for (int k = 0; k < doublings; ++k) {
      if (k == first) at_first = std::log(norm(power)) + std::ldexp(log_factor_, k);
      power = product(power, power);
    }
    const double growth = std::log(norm(power)) + std::ldexp(log_factor_, doublings) - at_first;
    fate.exponent = growth / ((doublings - first) * std::log(2.0));
    fate.kind = fate.exponent > 0.5 ? Fate::Kind::power : Fate::Kind::bounded;
  }
  return fate;
}

Fate Transition::fate_as_seen() const {
  const std::size_t count = log_norms_.size();
  if (count < 16) return {.kind = Fate::Kind::undecided};
  const auto largest_in = [&](std::size_t begin, std::size_t end) {
    return *std::max_element(log_norms_.begin() + static_cast<std::ptrdiff_t>(begin),
                             log_norms_.begin() + static_cast<std::ptrdiff_t>(end));
  };
  const double quarter = largest_in(count / 8, count / 4), half = largest_in(count / 4, count / 2),
               whole = largest_in(count / 2, count);
  // From octave to octave the logarithm of t^k rises by k log 2, and that of an exponential by twice as much each time.
  const double early = half - quarter, late = whole - half, least = std::log(2.0) / 2;
  const auto rise = [&](std::size_t begin, std::size_t end) {
    return (log_norms_[end - 1] - log_norms_[begin - 1]) / (4 * step_ * static_cast<double>(end - begin));
  };
  Fate fate{.rate = rise(count / 2, count), .exponent = late / std::log(2.0)};
  fate.rate_error = std::abs(fate.rate - rise(count / 4, count / 2));
  // No power that is seen rises by as much as this in an octave.
  constexpr double kRise = 3;
  fate.kind = std::abs(late) < least                                        ? Fate::Kind::bounded
              : late < -kRise && fate.rate < 0                              ? Fate::Kind::decay
              : late > kRise && late > 1.5 * early && fate.rate > 0         ? Fate::Kind::exponential
              : late > 0 && early > 0 && late < kRise && late < 1.5 * early ? Fate::Kind::power
                                                                            : Fate::Kind::undecided;
  return fate;
}

}  // namespace cotangent
