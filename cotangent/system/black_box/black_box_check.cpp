#include "cotangent/system/black_box/black_box_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <functional>
#include <limits>
#include <optional>
#include <set>
#include <string_view>

#include "cotangent/analysis/levels.hpp"
#include "cotangent/base/scalar.hpp"
#include "cotangent/system/black_box/black_box_elements.hpp"

namespace cotangent {
namespace {

using Vector = std::vector<double>;
using Values = std::function<Vector(const Vector& q, const Vector& p, double t)>;

struct Named {
  std::string name;
  Values at;
};

double largest(const Vector& x) {
  double most = 0;
  for (const double value : x) most = std::max(most, std::abs(value));
  return most;
}

/// A derivative by central differences, and how well it is known.
struct Estimate {
  Vector value, accuracy;
};

/// @param f called as f(s): the function, a vector, at the distance s along a line.
/// @param scale over which it varies, place how far from zero the point is in that unit.
template <class Function>
Estimate estimate(const Function& f, double scale, double place) {
  const double magnitude = std::max(1.0, place);
  const double s = scale * std::cbrt(epsilon<double>() * magnitude);
  const Vector far_plus = f(2 * s), far_minus = f(-2 * s), plus = f(s), minus = f(-s);
  Estimate result;
  double slope = 0;
  for (std::size_t i = 0; i < plus.size(); ++i) slope = std::max(slope, std::abs(plus[i] - minus[i]) / (2 * s));
  const double rounding =
      4 * epsilon<double>() * (std::max(largest(plus), largest(minus)) + slope * scale * magnitude) / s;
  for (std::size_t i = 0; i < plus.size(); ++i) {
    const double near = (plus[i] - minus[i]) / (2 * s), far = (far_plus[i] - far_minus[i]) / (4 * s);
    result.value.push_back(near);
    result.accuracy.push_back(std::abs(near - far) + rounding);
  }
  return result;
}

/// A line of the report, which keeps the entry of its function that fits worst.
class Worst {
 public:
  Worst(std::string function, std::string against)
      : line_{.function = std::move(function), .against = std::move(against), .entry = {}} {}

  /// @param entry called as entry(i): what component i of the vectors is called; none if it is not to be compared.
  template <class Entry>
  void compare(const Vector& value, const Estimate& expected, const Entry& entry) {
    for (std::size_t i = 0; i < value.size(); ++i) {
      const double accuracy = expected.accuracy[i];
      const double error = std::abs(value[i] - expected.value[i]) / (accuracy + std::numeric_limits<double>::min());
      const double rank = std::isnan(error) ? std::numeric_limits<double>::infinity() : error;
      const std::optional<std::string> name = entry(i);
      if (!name || rank <= rank_) continue;
      rank_ = rank;
      line_ = {line_.function, line_.against, *name, value[i], expected.value[i], accuracy, rank <= kNearLevel};
    }
  }

  const BlackBoxCheck::Line& line() const { return line_; }

 private:
  BlackBoxCheck::Line line_;
  double rank_ = -1;
};

/// The functions of a black box at a point, as functions of vectors.
class Checker {
 public:
  Checker(const BlackBox& box, const Vector& q, const Vector& p, double t, BlackBoxCheck& report)
      : box_(box),
        q_(q),
        p_(p),
        t_(t),
        n_(q.size()),
        m_(static_cast<std::size_t>(box.m)),
        places_(black_box_elements(box)->declared->constraint_places),
        report_(report),
        H_{"H", [&](const Vector& x, const Vector& y, double s) { return Vector{box_.H(x.data(), y.data(), s)}; }},
        H_q_{"H_q", gradient(box.H_q)},
        H_p_{"H_p", gradient(box.H_p)},
        g_{"g", rows(box.g, m_)},
        G_{"G", rows(box.G, places_.size())},
        g_t_{"g_t", rows(box.g_t, m_)} {
    // Different in every component, and of size one: what is linear in it is seen to be wrong if it is.
    for (std::size_t j = 0; j < n_; ++j) generic_.push_back(0.5 + 0.5 * std::sin(1.0 + 2.0 * static_cast<double>(j)));
  }

  void first_derivatives_of_H() {
    compare("H_q", H_, "q", [&](char, std::size_t j) { return Vector{here(H_q_.at)[j]}; });
    compare("H_p", H_, "p", [&](char, std::size_t j) { return Vector{here(H_p_.at)[j]}; });
    if (box_.H_t)
      compare("H_t", H_, "t", [&](char, std::size_t) { return Vector{box_.H_t(q_.data(), p_.data(), t_)}; });
  }

  void first_derivatives_of_g() {
    const std::set<BlackBox::Place> declared(places_.begin(), places_.end());
    const auto column = [&](char, std::size_t j) { return product(here(G_.at), unit(j)); };
    compare("G", g_, "q", column, [&](std::size_t r, std::size_t j) { return declared.contains({r, j}); });
    if (!box_.G_pattern.empty())
      compare("G outside G_pattern", g_, "q", column, [&](std::size_t r, std::size_t j) {
        return !declared.contains({r, j});
      });
    if (box_.g_t) compare("g_t", g_, "t", [&](char, std::size_t) { return here(g_t_.at); });
  }

  void second_derivatives_of_H() {
    const Vector zero(n_, 0.0);
    const auto compare_along = [&](const char* function, const Named& of, const BlackBox::Along& given) {
      if (!given) return;
      compare(function, of, "qp", [&](char axis, std::size_t j) {
        const Vector a = axis == 'q' ? unit(j) : zero, b = axis == 'p' ? unit(j) : zero;
        return here(gradient(
            [&](const double* q, const double* p, double t, double* out) { given(q, p, t, a.data(), b.data(), out); }));
      });
    };
    if (box_.H_pp_times)
      compare("H_pp_times", H_p_, "p", [&](char, std::size_t j) {
        return here(gradient([&](const double* q, const double* p, double t, double* out) {
          box_.H_pp_times(q, p, t, unit(j).data(), out);
        }));
      });
    compare_along("H_p_along", H_p_, box_.H_p_along);
    compare_along("H_q_along", H_q_, box_.H_q_along);
    if (box_.H_pt) compare("H_pt", H_p_, "t", [&](char, std::size_t) { return here(gradient(box_.H_pt)); });
  }

  void second_derivatives_of_g() {
    if (box_.g_second) {
      // G times a generic vector. Axis a: g_second is along coordinate j in its first argument, axis b: in its second.
      const Named G_times{
          "G", [&](const Vector& q, const Vector& p, double t) { return product(G_.at(q, p, t), generic_); }};
      compare("g_second", G_times, "ab", [&](char axis, std::size_t j) {
        const Vector a = axis == 'a' ? unit(j) : generic_, b = axis == 'b' ? unit(j) : generic_;
        return here(
            rows([&](const double* q, double t, double* out) { box_.g_second(q, t, a.data(), b.data(), out); }, m_));
      });
    }
    if (!box_.g_t_along) return;
    // g_tq a + g_tt: the part by the time is known.
    const Estimate by_t = along(g_t_.at, 't', 0);
    compare(
        "g_t_along", g_t_, "q",
        [&](char, std::size_t j) {
          return here(
              rows([&](const double* q, double t, double* out) { box_.g_t_along(q, t, unit(j).data(), out); }, m_));
        },
        everything, by_t);
  }

  void declarations() {
    const double later = t_ + 0.61803398875 * box_.t_scale;
    Vector p = p_, q = q_;
    for (std::size_t j = 0; j < n_; ++j) {
      p[j] += box_.p_scale * generic_[j] / 16;
      q[j] += box_.q_scale * generic_[j] / 16;
    }
    if (!box_.H_t)
      compare_elsewhere("H without H_t", "H, H_q, H_p at another time",
                        {{H_, q_, p_, later}, {H_q_, q_, p_, later}, {H_p_, q_, p_, later}});
    if (m_ > 0 && !box_.g_t)
      compare_elsewhere("g without g_t", "g, G at another time", {{g_, q_, p_, later}, {G_, q_, p_, later}});
    if (box_.is_separable)
      compare_elsewhere("is_separable", "H_q at another p, H_p at another q", {{H_q_, q_, p, t_}, {H_p_, q, p_, t_}});
    if (box_.H_pp_pattern == BlackBox::MassPattern::full || n_ == 1) return;
    const std::set<BlackBox::Place> declared(box_.H_pp_places.begin(), box_.H_pp_places.end());
    compare(
        "H_pp outside H_pp_pattern", H_p_, "p", [&](char, std::size_t) { return Vector(n_, 0.0); },
        [&](std::size_t i, std::size_t j) {
          return i != j && !declared.contains({i, j}) && !declared.contains({j, i});
        });
  }

 private:
  static Vector moved(Vector x, std::size_t j, double s) {
    x[j] += s;
    return x;
  }
  Vector unit(std::size_t j) const { return moved(Vector(n_, 0.0), j, 1); }

  Values gradient(BlackBox::Gradient f) const {
    return [f = std::move(f), n = n_](const Vector& q, const Vector& p, double t) {
      Vector out(n);
      f(q.data(), p.data(), t, out.data());
      return out;
    };
  }
  static Values rows(BlackBox::Rows f, std::size_t size) {
    return [f = std::move(f), size](const Vector& q, const Vector&, double t) {
      Vector out(size);
      f(q.data(), t, out.data());
      return out;
    };
  }
  Vector here(const Values& f) const { return f(q_, p_, t_); }

  // G x, of the values of G.
  Vector product(const Vector& values, const Vector& x) const {
    Vector out(m_, 0.0);
    for (std::size_t e = 0; e < places_.size(); ++e)
      out[static_cast<std::size_t>(places_[e].first)] += values[e] * x[static_cast<std::size_t>(places_[e].second)];
    return out;
  }

  // The derivative of f along t, p[j] or, for other axes, q[j].
  Estimate along(const Values& f, char axis, std::size_t j) const {
    if (axis == 't')
      return estimate([&](double s) { return f(q_, p_, t_ + s); }, box_.t_scale, std::abs(t_) / box_.t_scale);
    const bool by_p = axis == 'p';
    const double scale = by_p ? box_.p_scale : box_.q_scale;
    return estimate([&](double s) { return by_p ? f(q_, moved(p_, j, s), t_) : f(moved(q_, j, s), p_, t_); }, scale,
                    largest(by_p ? p_ : q_) / scale);
  }

  // How an entry is called: component i of the derivative of a function along component j of an axis.
  static std::string entry(const std::string& of, char axis, std::size_t i, std::size_t j) {
    if (of == "H") return axis == 't' ? "" : fmt::format("component {}", j);
    if (of == "G") return fmt::format("row {}, {} along coordinate {}", i, axis, j);
    if (axis == 't') return fmt::format("component {}", i);
    return of[0] == 'g' ? fmt::format("row {}, column {}", i, j) : fmt::format("component {} along {}[{}]", i, axis, j);
  }

  // A line for a derivative of f, along every component j of every axis, against differences.
  // @param value(axis, j) the derivative as it is given. @param is_wanted(i, j) whether an entry is to be compared.
  // @param known what is added to differences.
  template <class Value>
  void compare(const char* function, const Named& f, std::string_view axes, const Value& value,
               const std::function<bool(std::size_t i, std::size_t j)>& is_wanted = everything,
               const Estimate& known = {}) {
    Worst worst(function, "differences of " + f.name);
    for (const char axis : axes)
      for (std::size_t j = 0; j < (axis == 't' ? 1 : n_); ++j) {
        Estimate expected = along(f.at, axis, j);
        for (std::size_t i = 0; i < known.value.size(); ++i) {
          expected.value[i] += known.value[i];
          expected.accuracy[i] += known.accuracy[i];
        }
        worst.compare(value(axis, j), expected, [&](std::size_t i) {
          return is_wanted(i, j) ? std::optional(entry(f.name, axis, i, j)) : std::nullopt;
        });
      }
    report_.lines.push_back(worst.line());
  }
  static bool everything(std::size_t, std::size_t) { return true; }

  // Functions here and elsewhere, which may differ by rounding only.
  struct Elsewhere {
    const Named& f;
    const Vector &q, &p;
    double t;
  };
  void compare_elsewhere(const char* function, const char* against, std::initializer_list<Elsewhere> list) {
    Worst worst(function, against);
    for (const auto& [f, q, p, t] : list) {
      const Vector value = here(f.at);
      worst.compare(value, {f.at(q, p, t), Vector(value.size(), epsilon<double>() * largest(value))},
                    [&name = f.name](std::size_t i) { return fmt::format("{}, component {}", name, i); });
    }
    report_.lines.push_back(worst.line());
  }

  const BlackBox& box_;
  const Vector &q_, &p_;
  double t_;
  std::size_t n_, m_;
  std::vector<BlackBox::Place> places_;
  Vector generic_;
  BlackBoxCheck& report_;
  const Named H_, H_q_, H_p_, g_, G_, g_t_;
};

}  // namespace

BlackBoxCheck check(const BlackBox& box, const std::vector<double>& q, const std::vector<double>& p, double t) {
  BlackBoxCheck report;
  const auto attempt = [&](const auto& part) {
    try {
      part();
    } catch (const std::exception& error) {
      report.problems.emplace_back(error.what());
    } catch (...) {
      report.problems.emplace_back("a function threw what is not an exception");
    }
  };
  attempt([&] {
    if (std::cmp_not_equal(q.size(), box.n) || std::cmp_not_equal(p.size(), box.n)) {
      report.problems.push_back(
          fmt::format("the point has {} coordinates and {} momenta, but n = {}", q.size(), p.size(), box.n));
      return;
    }
    Checker checker(box, q, p, t, report);
    attempt([&] { checker.first_derivatives_of_H(); });
    if (box.m > 0) attempt([&] { checker.first_derivatives_of_g(); });
    attempt([&] { checker.second_derivatives_of_H(); });
    if (box.m > 0) attempt([&] { checker.second_derivatives_of_g(); });
    attempt([&] { checker.declarations(); });
  });
  return report;
}

bool BlackBoxCheck::is_consistent() const {
  return problems.empty() && std::ranges::all_of(lines, &Line::is_consistent);
}

std::string BlackBoxCheck::text() const {
  std::string table;
  const auto row = [&](const auto&... cells) {
    table += fmt::format("{:<8} {:<26} {:<35} {:<24} {:>13} {:>13} {:>9}\n", cells...);
  };
  if (!lines.empty()) row("", "function", "against", "worst entry", "given", "expected", "accuracy");
  const auto number = [](double x) { return fmt::format("{:.6g}", x); };
  for (const Line& line : lines)
    row(line.is_consistent ? "ok" : "MISTAKE", line.function, line.against, line.entry, number(line.value),
        number(line.expected), fmt::format("{:.1e}", line.accuracy));
  for (const std::string& problem : problems) table += fmt::format("{:<8} {}\n", "PROBLEM", problem);
  return table;
}

std::ostream& operator<<(std::ostream& out, const BlackBoxCheck& check) { return out << check.text(); }

}  // namespace cotangent
