// References: extrapolation of the explicit midpoint rule [gragg65] in quad precision, of the fields by hand.

#include "benchmarks/peers/reference.hpp"

#include <fmt/format.h>

#include <fstream>
#include <limits>

namespace cotangent::peers {
namespace {

// Order 2 kColumns with 2, 4, .. 2 kColumns substeps.
constexpr int kColumns = 9;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr long kMostSteps = 2'000'000;
// Of the longer steps. Halving them leaves 2^-18 of their error, far below what double precision can tell.
constexpr double kAgreement = 1e-13;

template <class P>
std::vector<Quad> integrate(const P& problem, long steps) {
  using Point = std::vector<Quad>;
  typename P::template Field<Quad> field(problem);
  const std::size_t size = problem.task.start.size();
  Point z(problem.task.start.begin(), problem.task.start.end()), first(size), rate(size), before, now(size);
  std::vector<Point> table(kColumns);  // of row k the last k + 1 entries, in place
  const Quad H = Quad(problem.task.end) / Quad(steps);
  for (long step = 0; step < steps; ++step) {
    field(z.data(), first.data());
    for (int k = 0; k < kColumns; ++k) {
      const int parts = 2 * (k + 1);
      const Quad h = H / parts;
      before = z;
      for (std::size_t i = 0; i < size; ++i) now[i] = z[i] + h * first[i];
      for (int part = 1; part < parts; ++part) {
        field(now.data(), rate.data());
        for (std::size_t i = 0; i < size; ++i) {
          const Quad next = before[i] + 2 * h * rate[i];
          before[i] = now[i];
          now[i] = next;
        }
      }
      // T_k0 from the last step, then T_kj = T_k,j-1 + (T_k,j-1 - T_k-1,j-1) / ((n_k / n_k-j)^2 - 1).
      Point entry = now;
      for (int j = 1; j <= k; ++j) {
        const Quad ratio = Quad(k + 1) / Quad(k + 1 - j), scale = 1 / (ratio * ratio - 1);
        Point& above = table[static_cast<std::size_t>(j - 1)];
        Point next(size);
        for (std::size_t i = 0; i < size; ++i) next[i] = entry[i] + scale * (entry[i] - above[i]);
        above = std::move(entry);
        entry = std::move(next);
      }
      table[static_cast<std::size_t>(k)] = std::move(entry);
    }
    z = table[kColumns - 1];
  }
  return z;
}

template <class P>
Reference compute(const P& problem) {
  long steps = static_cast<long>(std::ceil(4 * problem.task.end));
  auto z = integrate(problem, steps);
  Reference reference{{}, kInfinity};
  while (!(reference.error < kAgreement) && steps <= kMostSteps) {
    steps *= 2;
    const auto finer = integrate(problem, steps);
    reference.error = 0;
    for (std::size_t i = 0; i < z.size(); ++i) {
      const auto difference = static_cast<double>(abs(finer[i] - z[i]));
      reference.error = std::isfinite(difference) ? std::max(reference.error, difference) : kInfinity;
    }
    z = finer;
  }
  Vector rounded;
  for (const Quad& x : z) rounded.push_back(static_cast<double>(x));
  reference.z = problem.momenta(rounded);
  return reference;
}

}  // namespace

template <class P>
Reference reference_of(const P& problem, const std::filesystem::path& folder) {
  const auto file = folder / (problem.task.name + ".txt");
  Reference reference;
  if (std::ifstream in(file); in >> reference.error) {
    for (double x = 0; in >> x;) reference.z.push_back(x);
    if (reference.z.size() == problem.task.start.size()) return reference;
  }
  fmt::print(stderr, "Reference of {} in quad precision\n", problem.task.name);
  reference = compute(problem);
  std::filesystem::create_directories(folder);
  std::ofstream out(file);
  out << fmt::format("{:.17g}\n", reference.error);
  for (const double x : reference.z) out << fmt::format("{:.17g}\n", x);
  return reference;
}

#define COTANGENT_REFERENCE(P) template Reference reference_of(const P&, const std::filesystem::path&);
COTANGENT_REFERENCE(Pendulum)
COTANGENT_REFERENCE(Chain)
COTANGENT_REFERENCE(Polymer)
COTANGENT_REFERENCE(FourBar)
COTANGENT_REFERENCE(Arm)
COTANGENT_REFERENCE(Droplet)

}  // namespace cotangent::peers
