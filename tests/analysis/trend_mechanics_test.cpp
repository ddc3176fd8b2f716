// Runs of methods whose behaviour is known, over ranges of steps, lengths and initial values: none may be misjudged.

#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "tests/analysis/battery.hpp"
#include "tests/analysis/mechanics.hpp"

namespace cotangent {
namespace {

std::string label(const char* what, double a, double b, double c = 0) {
  std::ostringstream text;
  text << what << " (" << a << " " << b << " " << c << ")";
  return text.str();
}

// H(t) - H(0) along a run.
template <class System, class Method>
Series energy_error(const System& system, StateOf<System> z, double h, int steps, const Method& method) {
  Series series;
  const double start = energy(system, z);
  series.add(0, 0);
  for (int i = 1; i <= steps; ++i) {
    method(h, z);
    series.add(i * h, energy(system, z) - start);
  }
  return series;
}

State<2> henon_heiles_at(double E, double y) {
  State<2> z;
  z.q = {0, y};
  z.p = {0, 0.1};
  z.p[0] = std::sqrt(2 * (E - energy(HenonHeiles{}, z)));
  return z;
}

State<2> kepler_with(double e) { return {.q = {1 - e, 0}, .p = {0, std::sqrt((1 + e) / (1 - e))}}; }

constexpr double kLevel = 1e-14;

TEST(TrendOfRuns, Pendulum) {
  Battery battery;
  const Pendulum pendulum;
  for (const double h : {0.2, 0.1, 0.05, 0.02}) {
    for (const int steps : {4000, 20000, 100000}) {
      for (const double p : {0.3, 1.2, 1.9, 2.3}) {
        const State<1> z{.q = {0.1}, .p = {p}};
        const auto run = [&](Trend trend, const char* name, const auto& method) {
          battery.expect(trend, energy_error(pendulum, z, h, steps, method), label(name, h, steps, p),
                         {.level = kLevel});
        };
        run(Trend::bounded, "leapfrog", [&](double step, auto& at) { leapfrog(pendulum, step, at); });
        run(Trend::bounded, "triple jump", [&](double step, auto& at) { triple_jump(pendulum, step, at); });
        if (steps < 100000) {
          run(Trend::bounded, "reversible", [&](double step, auto& at) { midpoint_and_trapezoid(pendulum, step, at); });
        }
        run(Trend::linear, "rk4", [&](double step, auto& at) { rk4(pendulum, step, at); });
      }
    }
  }
}

TEST(TrendOfRuns, HenonHeiles) {
  Battery battery;
  const HenonHeiles system;
  for (const double h : {0.2, 0.1, 0.05}) {
    for (const int steps : {20000, 100000}) {
      for (const double E : {1. / 12, 1. / 8, 1. / 6.02}) {
        for (const double y : {-0.1, 0.05, 0.2, 0.3}) {
          const State<2> z = henon_heiles_at(E, y);
          const auto run = [&](Trend trend, const char* name, const auto& method) {
            battery.expect(trend, energy_error(system, z, h, steps, method), label(name, h, E, y), {.level = kLevel});
          };
          // With the largest step the motion nearest to escape does escape.
          if (h < 0.2 || E < 0.13) {
            run(Trend::bounded, "leapfrog", [&](double step, auto& at) { leapfrog(system, step, at); });
          }
          run(Trend::bounded, "triple jump", [&](double step, auto& at) { triple_jump(system, step, at); });
          run(Trend::linear, "rk4", [&](double step, auto& at) { rk4(system, step, at); });
        }
      }
    }
  }
}

TEST(TrendOfRuns, EscapeIsNotBounded) {
  const HenonHeiles system;
  const TrendVerdict verdict = classify_trend(energy_error(system, henon_heiles_at(1. / 6.02, 0.3), 0.2, 20000,
                                                           [&](double step, auto& at) { leapfrog(system, step, at); }),
                                              {.level = kLevel});
  EXPECT_FALSE(verdict.finite);
  EXPECT_TRUE(verdict.grows()) << verdict.evidence;
}

TEST(TrendOfRuns, Kepler) {
  Battery battery;
  const Kepler system;
  for (const double e : {0.1, 0.4, 0.7}) {
    const State<2> z = kepler_with(e);
    for (const double h : {0.02, 0.01, 0.005}) {
      for (const int steps : {20000, 100000}) {
        battery.expect(Trend::bounded,
                       energy_error(system, z, h, steps, [&](double step, auto& at) { leapfrog(system, step, at); }),
                       label("leapfrog", h, steps, e), {.level = kLevel});
        battery.expect(Trend::linear,
                       energy_error(system, z, h, steps, [&](double step, auto& at) { rk4(system, step, at); }),
                       label("rk4", h, steps, e), {.level = kLevel});
        State<2> at = z;
        ReversibleSteps steps_of(2 * h, at);
        Series series;
        double t = 0;
        for (int i = 0; i < steps; ++i) {
          series.add(t, energy(system, at) + 0.5);
          t += steps_of.step(at);
        }
        battery.expect(Trend::bounded, series, label("reversible steps", h, steps, e), {.level = kLevel});
      }
    }
  }
}

TEST(TrendOfRuns, Friction) {
  Battery battery;
  const Pendulum pendulum;
  for (const double h : {0.1, 0.03}) {
    for (const double friction : {1e-3, 3e-3, 0.01, 0.03}) {
      for (const double damping : {4., 8., 20.}) {  // friction times the length of the run
        const auto method = [&](double step, auto& at) { rk4(pendulum, step, at, friction); };
        const int steps = static_cast<int>(damping / friction / h);
        battery.expect(Trend::decaying, energy_error(pendulum, {.q = {0.1}, .p = {1.2}}, h, steps, method),
                       label("friction", h, friction, damping), {.level = kLevel});
      }
    }
    const auto slow = [&](double step, auto& at) { rk4(pendulum, step, at, 1e-5); };
    battery.expect(Trend::linear, energy_error(pendulum, {.q = {0.1}, .p = {1.2}}, h, 30000, slow), label("slow", h, 0),
                   {.level = kLevel});
  }
}

TEST(TrendOfRuns, ResonantSteps) {
  Battery battery;
  for (const double omega : {1., 10.}) {
    const Oscillator oscillator{omega};
    for (const int steps : {1000, 5000, 30000}) {
      const auto run = [&](double h_omega) {
        return energy_error(oscillator, {.q = {1}, .p = {0.1}}, h_omega / omega, steps,
                            [&](double step, auto& at) { leapfrog(oscillator, step, at); });
      };
      // Beyond the limit of stability h omega = 2, growth by cosh^-1 of the trace in each step.
      for (const double excess : {1e-2, 3e-3, 1e-3}) {
        const Series series = run(2 + excess);
        const TrendVerdict verdict =
            battery.expect(Trend::exponential, series, label("unstable", omega, steps, excess), {.level = kLevel});
        const double rate = 2 * std::acosh(std::pow(2 + excess, 2) / 2 - 1) / ((2 + excess) / omega);
        EXPECT_NEAR(verdict.rate / rate, 1, 0.1) << label("unstable", omega, steps, excess);
        EXPECT_EQ(verdict.finite, series.not_finite() == 0);
      }
      for (const double margin : {1e-2, 3e-3, 0.1, 0.5}) {
        battery.expect(Trend::bounded, run(2 - margin), label("nearly unstable", omega, steps, margin),
                       {.level = kLevel});
      }
    }
  }
}

// Distance of two solutions with steps h and h/2.
template <class System>
Series solution_error(const System& system, StateOf<System> z, double h, int steps) {
  StateOf<System> fine = z;
  Series series;
  for (int i = 0; i <= steps; ++i) {
    double squares = 0;
    for (std::size_t j = 0; j < System::kSize; ++j) {
      squares += std::pow(z.q[j] - fine.q[j], 2) + std::pow(z.p[j] - fine.p[j], 2);
    }
    series.add(i * h, std::sqrt(squares));
    triple_jump(system, h, z);
    triple_jump(system, h / 2, fine);
    triple_jump(system, h / 2, fine);
  }
  return series;
}

TEST(TrendOfRuns, ErrorsOfSolutions) {
  Battery battery;
  for (const double h : {0.1, 0.05, 0.02}) {
    for (const double y : {-0.1, 0.05, 0.1, 0.2}) {
      for (const double end : {400., 1000., 4000.}) {
        const int steps = static_cast<int>(end / h);
        const TrendVerdict chaotic =
            battery.expect(Trend::exponential, solution_error(HenonHeiles{}, henon_heiles_at(1. / 6.02, y), h, steps),
                           label("chaotic", h, y, end), {.level = kLevel});
        EXPECT_GT(chaotic.rate, 0.03) << label("chaotic", h, y, end);
        EXPECT_LT(chaotic.rate, 0.25) << label("chaotic", h, y, end);
      }
    }
    for (const double p : {0.5, 1.2, 1.7}) {
      for (const int steps : {3000, 20000}) {
        battery.expect(Trend::linear, solution_error(Pendulum{}, {.q = {0.1}, .p = {p}}, h, steps),
                       label("regular", h, p, steps), {.level = kLevel});
      }
    }
  }
}

}  // namespace
}  // namespace cotangent
