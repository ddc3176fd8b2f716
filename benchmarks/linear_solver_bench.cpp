// Time per row of LinearSolver beside a plain tridiagonal loop.
//
// Sample run:
//   linear_solver_bench
//
// Every number is the best of several repetitions, in nanoseconds per row; for Lanes per row and lane.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include "cotangent/solve/direct/linear_solver.hpp"

namespace cotangent {
namespace {

/// The Thomas loop as one writes it by hand: everything that can stays in registers.
struct PlainTridiagonal {
  std::vector<double> inverse, lower, upper;

  explicit PlainTridiagonal(int size) : inverse(size), lower(size), upper(size) {}

  [[gnu::noinline]] void factor(int m, const double* __restrict a, const double* __restrict e) {
    double* __restrict inv = inverse.data();
    double* __restrict l = lower.data();
    double r = inv[0] = 1 / a[0];
    for (int i = 1; i < m; ++i) {
      l[i - 1] = e[i - 1] * r;
      inv[i] = r = 1 / fma(-e[i - 1] * r, e[i - 1], a[i]);
    }
  }

  [[gnu::noinline]] void factor(int m, const double* __restrict a, const double* __restrict e,
                                const double* __restrict f) {
    double* __restrict inv = inverse.data();
    double* __restrict l = lower.data();
    double* __restrict u = upper.data();
    double r = inv[0] = 1 / a[0];
    for (int i = 1; i < m; ++i) {
      l[i - 1] = e[i - 1] * r, u[i - 1] = f[i - 1] * r;
      inv[i] = r = 1 / fma(-e[i - 1] * r, f[i - 1], a[i]);
    }
  }

  [[gnu::noinline]] void solve(int m, double* __restrict x) const {
    const double* __restrict inv = inverse.data();
    const double* __restrict l = lower.data();
    double z = x[0];
    for (int i = 1; i < m; ++i) x[i] = z = fma(-l[i - 1], z, x[i]);
    x[m - 1] = z = z * inv[m - 1];
    for (int i = m - 2; i >= 0; --i) x[i] = z = fma(-l[i], z, x[i] * inv[i]);
  }
};

template <class Call>
double nanoseconds_per_row(int size, Call call) {
  using Clock = std::chrono::steady_clock;
  const int repetitions = std::max(1, 1000000 / size);
  double best = 1e300;
  for (int trial = 0; trial < 7; ++trial) {
    const auto start = Clock::now();
    for (int r = 0; r < repetitions; ++r) call();
    const std::chrono::duration<double, std::nano> time = Clock::now() - start;
    best = std::min(best, time.count() / repetitions / size);
  }
  return best;
}

template <class T>
struct Problem {
  int size;
  OffDiagonal entries;
  std::vector<T> diagonal, lower, upper, x;

  Problem(int m, OffDiagonal pattern) : size(m), entries(std::move(pattern)), diagonal(m, T(0.1)), x(m, T(1)) {
    std::mt19937 random(1);
    std::uniform_real_distribution<double> uniform(0.1, 1);
    for (const auto& [i, j] : entries) {
      const double a = uniform(random);
      diagonal[i] += T(a), diagonal[j] += T(a);
      lower.emplace_back(-a), upper.emplace_back(-a * 1.001);
    }
  }
};

struct Times {
  double factor, factor_unsymmetric, solve;
};

template <class T>
Times measure(Problem<T>& p, LinearSolver<T>& solver) {
  Times t{};
  bool regular = true;
  const T* const a = p.diagonal.data();
  t.factor_unsymmetric =
      nanoseconds_per_row(p.size, [&] { regular &= all(solver.factor(a, p.lower.data(), p.upper.data()).regular); });
  t.factor = nanoseconds_per_row(p.size, [&] { regular &= all(solver.factor(a, p.lower.data()).regular); });
  t.solve = nanoseconds_per_row(p.size, [&] { solver.solve(p.x.data()); });
  if (!regular) std::printf("irregular!\n");
  return t;
}

Times measure(Problem<double>& p, PlainTridiagonal& plain) {
  Times t{};
  const double *a = p.diagonal.data(), *l = p.lower.data(), *u = p.upper.data();
  t.factor_unsymmetric = nanoseconds_per_row(p.size, [&] { plain.factor(p.size, a, l, u); });
  t.factor = nanoseconds_per_row(p.size, [&] { plain.factor(p.size, a, l); });
  t.solve = nanoseconds_per_row(p.size, [&] { plain.solve(p.size, p.x.data()); });
  return t;
}

OffDiagonal path(int size) {
  OffDiagonal entries;
  for (int i = 1; i < size; ++i) entries.emplace_back(i, i - 1);
  return entries;
}

void chains() {
  std::printf("%-28s %8s  %-15s %-15s %-15s %s\n", "chain, double (plain loop)", "rows", "factor", "unsymmetric",
              "solve", "setup");
  for (const int m : {2, 3, 10, 100, 1000, 10000, 100000, 1000000}) {
    Problem<double> p(m, path(m)), q = p;
    PlainTridiagonal plain(m);
    const Times s = measure(p, plain);
    const auto start = std::chrono::steady_clock::now();
    LinearSolver<double> solver(m, p.entries);
    const std::chrono::duration<double, std::nano> setup = std::chrono::steady_clock::now() - start;
    const Times t = measure(q, solver);
    std::printf("%-28s %8d  %5.2f (%5.2f)   %5.2f (%5.2f)   %5.2f (%5.2f)   %5.1f\n", "", m, t.factor, s.factor,
                t.factor_unsymmetric, s.factor_unsymmetric, t.solve, s.solve, setup.count() / m);
  }
}

template <class T>
void other(const char* title, int size, const OffDiagonal& entries) {
  Problem<T> p(size, entries);
  const auto start = std::chrono::steady_clock::now();
  LinearSolver<T> solver(size, entries);
  const std::chrono::duration<double, std::nano> setup = std::chrono::steady_clock::now() - start;
  const Times t = measure(p, solver);
  const double n = lane_count<T>;
  std::printf("%-21s %6s %8d  %7.2f         %7.2f         %7.2f         %5.1f\n", title, name(solver.kind()), size,
              t.factor / n, t.factor_unsymmetric / n, t.solve / n, setup.count() / size);
}

OffDiagonal ring(int size) {
  OffDiagonal entries = path(size);
  entries.emplace_back(size - 1, 0);
  return entries;
}

OffDiagonal band(int size, int width) {
  OffDiagonal entries;
  for (int i = 0; i < size; ++i) {
    for (int j = std::max(0, i - width); j < i; ++j) entries.emplace_back(i, j);
  }
  return entries;
}

OffDiagonal grid(int side) {
  OffDiagonal entries;
  for (int i = 0; i < side * side; ++i) {
    if (i % side > 0) entries.emplace_back(i, i - 1);
    if (i >= side) entries.emplace_back(i, i - side);
  }
  return entries;
}

OffDiagonal reversed(OffDiagonal entries) {
  std::reverse(entries.begin(), entries.end());
  return entries;
}

}  // namespace
}  // namespace cotangent

int main() {
  using namespace cotangent;
  chains();
  for (const int m : {100, 1000, 10000}) other<Lanes>("chain, Lanes", m, path(m));
  for (const int m : {1000, 1000000}) other<double>("chain listed backwards", m, reversed(path(m)));
  for (const int m : {3, 4, 6, 8, 12, 16, 24, 100}) other<double>("full", m, band(m, m));
  for (const int m : {6, 12, 24, 100, 10000, 1000000}) other<double>("ring", m, ring(m));
  for (const int m : {6, 12, 24, 100, 10000}) other<double>("band of width 2", m, band(m, 2));
  for (const int m : {8, 16, 24, 100, 10000}) other<double>("band of width 5", m, band(m, 5));
  for (const int side : {4, 6, 10, 30, 100}) other<double>("grid", side * side, grid(side));
  other<Lanes>("ring, Lanes", 100, ring(100));
  other<Lanes>("full, Lanes", 16, band(16, 16));
}
