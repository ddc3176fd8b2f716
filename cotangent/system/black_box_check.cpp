#include "cotangent/system/black_box_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <set>

#include "cotangent/base/scalar.hpp"
#include "cotangent/system/black_box_elements.hpp"

namespace cotangent {
namespace {

using Vector = std::vector<double>;
constexpr double kTolerance = 10;  // times the accuracy of a difference

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

/// Keeps the entry of one function that fits worst.
class Worst {
 public:
  Worst(std::string function, std::string against) {
    line_.function = std::move(function);
    line_.against = std::move(against);
  }

  template <class Entry>
  void compare(double value, double expected, double accuracy, const Entry& entry) {
    const double error = std::abs(value - expected) / (accuracy + std::numeric_limits<double>::min());
    const double rank = std::isnan(error) ? std::numeric_limits<double>::infinity() : error;
    if (rank <= rank_) return;
    rank_ = rank;
    line_.entry = entry();
    line_.value = value;
    line_.expected = expected;
    line_.accuracy = accuracy;
    line_.is_consistent = rank <= kTolerance;
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
        report_(report) {
    // Different in every component, and of size one: what is linear in it is seen to be wrong if it is.
    for (std::size_t j = 0; j < n_; ++j) generic_.push_back(0.5 + 0.5 * std::sin(1.0 + 2.0 * static_cast<double>(j)));
  }

  void first_derivatives_of_H() {
    const auto along_q = [&](std::size_t j) {
      return estimate([&](double s) { return Vector{box_.H(moved(q_, j, s).data(), p_.data(), t_)}; }, box_.q_scale,
                      largest(q_) / box_.q_scale);
    };
    const auto along_p = [&](std::size_t j) {
      return estimate([&](double s) { return Vector{box_.H(q_.data(), moved(p_, j, s).data(), t_)}; }, box_.p_scale,
                      largest(p_) / box_.p_scale);
    };
    gradient("H_q", H_q(q_, p_, t_), along_q);
    gradient("H_p", H_p(q_, p_, t_), along_p);
    if (!box_.H_t) return;
    Worst worst("H_t", "differences of H");
    const Estimate by_t = in_time([&](double t) { return Vector{box_.H(q_.data(), p_.data(), t)}; });
    worst.compare(box_.H_t(q_.data(), p_.data(), t_), by_t.value[0], by_t.accuracy[0], [] { return std::string(); });
    keep(worst);
  }

  void first_derivatives_of_g() {
    Worst worst("G", "differences of g"), outside("G outside G_pattern", "differences of g");
    std::vector<std::vector<std::pair<std::size_t, double>>> columns(n_);  // row, value
    const Vector values = G(q_, t_);
    for (std::size_t e = 0; e < places_.size(); ++e)
      columns[static_cast<std::size_t>(places_[e].second)].emplace_back(places_[e].first, values[e]);
    for (std::size_t j = 0; j < n_; ++j) {
      const Estimate by_q = along_q(j, [&](const Vector& q) { return g(q, t_); });
      Vector column(m_, 0.0);
      std::vector<bool> is_declared(m_, false);
      for (const auto& [row, value] : columns[j]) {
        column[row] += value;
        is_declared[row] = true;
      }
      for (std::size_t r = 0; r < m_; ++r)
        (is_declared[r] ? worst : outside).compare(column[r], by_q.value[r], by_q.accuracy[r], [&] {
          return place(r, j);
        });
    }
    keep(worst);
    if (!box_.G_pattern.empty()) keep(outside);
    if (!box_.g_t) return;
    compare_rows("g_t", "differences of g", rows(box_.g_t, q_, t_), in_time([&](double t) { return g(q_, t); }));
  }

  void second_derivatives_of_H() {
    if (box_.H_pp_times)
      matrix(
          "H_pp_times", "differences of H_p", true, [&](const Vector& q, const Vector& p) { return H_p(q, p, t_); },
          [&](const Vector& a, Vector& out) { box_.H_pp_times(q_.data(), p_.data(), t_, a.data(), out.data()); });
    along("H_p_along", "differences of H_p", box_.H_p_along,
          [&](const Vector& q, const Vector& p) { return H_p(q, p, t_); });
    along("H_q_along", "differences of H_q", box_.H_q_along,
          [&](const Vector& q, const Vector& p) { return H_q(q, p, t_); });
    if (!box_.H_pt) return;
    Vector value(n_);
    box_.H_pt(q_.data(), p_.data(), t_, value.data());
    compare_rows("H_pt", "differences of H_p", value, in_time([&](double t) { return H_p(q_, p_, t); }));
  }

  void second_derivatives_of_g() {
    if (box_.g_second) {
      Worst worst("g_second", "differences of G");
      for (std::size_t j = 0; j < n_; ++j) {
        const Estimate by_q = along_q(j, [&](const Vector& q) { return product(G(q, t_), generic_); });
        const Vector unit = moved(Vector(n_, 0.0), j, 1);
        for (const bool is_swapped : {false, true}) {
          Vector value(m_);
          const Vector &a = is_swapped ? generic_ : unit, &b = is_swapped ? unit : generic_;
          box_.g_second(q_.data(), t_, a.data(), b.data(), value.data());
          for (std::size_t r = 0; r < m_; ++r)
            worst.compare(value[r], by_q.value[r], by_q.accuracy[r],
                          [&] { return fmt::format("row {}, {} along coordinate {}", r, is_swapped ? "b" : "a", j); });
        }
      }
      keep(worst);
    }
    if (!box_.g_t_along) return;
    Worst worst("g_t_along", "differences of g_t");
    const Estimate by_t = in_time([&](double t) { return rows(box_.g_t, q_, t); });
    for (std::size_t j = 0; j < n_; ++j) {
      const Estimate by_q = along_q(j, [&](const Vector& q) { return rows(box_.g_t, q, t_); });
      Vector value(m_);
      box_.g_t_along(q_.data(), t_, moved(Vector(n_, 0.0), j, 1).data(), value.data());
      for (std::size_t r = 0; r < m_; ++r)
        worst.compare(value[r], by_q.value[r] + by_t.value[r], by_q.accuracy[r] + by_t.accuracy[r],
                      [&] { return place(r, j); });
    }
    keep(worst);
  }

  void declarations() {
    const double later = t_ + 0.61803398875 * box_.t_scale;
    if (!box_.H_t) {
      Worst worst("H without H_t", "H, H_q, H_p at another time");
      equal(worst, Vector{box_.H(q_.data(), p_.data(), t_)}, Vector{box_.H(q_.data(), p_.data(), later)}, "H");
      equal(worst, H_q(q_, p_, t_), H_q(q_, p_, later), "H_q");
      equal(worst, H_p(q_, p_, t_), H_p(q_, p_, later), "H_p");
      keep(worst);
    }
    if (m_ > 0 && !box_.g_t) {
      Worst worst("g without g_t", "g, G at another time");
      equal(worst, g(q_, t_), g(q_, later), "g");
      equal(worst, G(q_, t_), G(q_, later), "G");
      keep(worst);
    }
    if (box_.is_separable) {
      Worst worst("is_separable", "H_q at another p, H_p at another q");
      Vector p = p_, q = q_;
      for (std::size_t j = 0; j < n_; ++j) {
        p[j] += box_.p_scale * generic_[j] / 16;
        q[j] += box_.q_scale * generic_[j] / 16;
      }
      equal(worst, H_q(q_, p_, t_), H_q(q_, p, t_), "H_q");
      equal(worst, H_p(q_, p_, t_), H_p(q, p_, t_), "H_p");
      keep(worst);
    }
    if (box_.H_pp_pattern != BlackBox::MassPattern::full) mass_pattern();
  }

 private:
  static std::string place(std::size_t row, std::size_t column) {
    return fmt::format("row {}, column {}", row, column);
  }
  static Vector moved(Vector x, std::size_t j, double s) {
    x[j] += s;
    return x;
  }

  Vector H_q(const Vector& q, const Vector& p, double t) const {
    Vector out(n_);
    box_.H_q(q.data(), p.data(), t, out.data());
    return out;
  }
  Vector H_p(const Vector& q, const Vector& p, double t) const {
    Vector out(n_);
    box_.H_p(q.data(), p.data(), t, out.data());
    return out;
  }
  Vector rows(const BlackBox::Rows& function, const Vector& q, double t) const {
    Vector out(m_);
    function(q.data(), t, out.data());
    return out;
  }
  Vector g(const Vector& q, double t) const { return rows(box_.g, q, t); }
  Vector G(const Vector& q, double t) const {
    Vector out(places_.size());
    box_.G(q.data(), t, out.data());
    return out;
  }
  Vector product(const Vector& values, const Vector& x) const {
    Vector out(m_, 0.0);
    for (std::size_t e = 0; e < places_.size(); ++e)
      out[static_cast<std::size_t>(places_[e].first)] += values[e] * x[static_cast<std::size_t>(places_[e].second)];
    return out;
  }

  template <class Function>
  Estimate along_q(std::size_t j, const Function& f) const {
    return estimate([&](double s) { return f(moved(q_, j, s)); }, box_.q_scale, largest(q_) / box_.q_scale);
  }
  template <class Function>
  Estimate along_p(std::size_t j, const Function& f) const {
    return estimate([&](double s) { return f(moved(p_, j, s)); }, box_.p_scale, largest(p_) / box_.p_scale);
  }
  template <class Function>
  Estimate in_time(const Function& f) const {
    return estimate([&](double s) { return f(t_ + s); }, box_.t_scale, std::abs(t_) / box_.t_scale);
  }

  // A gradient against differences of H along each coordinate or momentum.
  template <class Differences>
  void gradient(const char* name, const Vector& value, const Differences& differences) {
    Worst worst(name, "differences of H");
    for (std::size_t j = 0; j < n_; ++j) {
      const Estimate by_j = differences(j);
      worst.compare(value[j], by_j.value[0], by_j.accuracy[0], [&] { return fmt::format("component {}", j); });
    }
    keep(worst);
  }

  void compare_rows(const char* name, const char* against, const Vector& value, const Estimate& expected) {
    Worst worst(name, against);
    for (std::size_t r = 0; r < value.size(); ++r)
      worst.compare(value[r], expected.value[r], expected.accuracy[r], [&] { return fmt::format("component {}", r); });
    keep(worst);
  }

  // A matrix, column by column, against differences of f along q or p.
  template <class Function, class Multiply>
  void compare_columns(Worst& worst, const char* by, bool in_p, const Function& f, const Multiply& multiply) {
    for (std::size_t j = 0; j < n_; ++j) {
      const Estimate column = in_p ? along_p(j, [&](const Vector& p) { return f(q_, p); })
                                   : along_q(j, [&](const Vector& q) { return f(q, p_); });
      Vector value(n_);
      multiply(moved(Vector(n_, 0.0), j, 1), value);
      for (std::size_t i = 0; i < n_; ++i)
        worst.compare(value[i], column.value[i], column.accuracy[i],
                      [&] { return fmt::format("component {} along {}[{}]", i, by, j); });
    }
  }

  template <class Function, class Multiply>
  void matrix(const char* name, const char* against, bool in_p, const Function& f, const Multiply& multiply) {
    Worst worst(name, against);
    compare_columns(worst, in_p ? "p" : "q", in_p, f, multiply);
    keep(worst);
  }

  template <class Function>
  void along(const char* name, const char* against, const BlackBox::Along& given, const Function& f) {
    if (!given) return;
    const Vector zero(n_, 0.0);
    Worst worst(name, against);
    compare_columns(worst, "q", false, f, [&](const Vector& a, Vector& out) {
      given(q_.data(), p_.data(), t_, a.data(), zero.data(), out.data());
    });
    compare_columns(worst, "p", true, f, [&](const Vector& b, Vector& out) {
      given(q_.data(), p_.data(), t_, zero.data(), b.data(), out.data());
    });
    keep(worst);
  }

  void mass_pattern() {
    std::set<BlackBox::Place> declared(box_.H_pp_places.begin(), box_.H_pp_places.end());
    Worst worst("H_pp outside H_pp_pattern", "differences of H_p");
    for (std::size_t j = 0; j < n_; ++j) {
      const Estimate column = along_p(j, [&](const Vector& p) { return H_p(q_, p, t_); });
      for (std::size_t i = 0; i < n_; ++i) {
        if (i == j || declared.contains({i, j}) || declared.contains({j, i})) continue;
        worst.compare(0, column.value[i], column.accuracy[i], [&] { return place(i, j); });
      }
    }
    if (n_ > 1) keep(worst);
  }

  // Values that may differ by rounding only.
  static void equal(Worst& worst, const Vector& here, const Vector& there, const char* name) {
    const double accuracy = epsilon<double>() * largest(here);
    for (std::size_t i = 0; i < here.size(); ++i)
      worst.compare(here[i], there[i], accuracy, [&] { return fmt::format("{}, component {}", name, i); });
  }

  void keep(const Worst& worst) { report_.lines.push_back(worst.line()); }

  const BlackBox& box_;
  const Vector &q_, &p_;
  double t_;
  std::size_t n_, m_;
  std::vector<BlackBox::Place> places_;
  Vector generic_;
  BlackBoxCheck& report_;
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
  return problems.empty() &&
         std::all_of(lines.begin(), lines.end(), [](const Line& line) { return line.is_consistent; });
}

std::string BlackBoxCheck::text() const {
  constexpr const char* kColumns = "{:<8} {:<26} {:<35} {:<24} {:>13} {:>13} {:>9}\n";
  std::string table;
  if (!lines.empty())
    table = fmt::format(kColumns, "", "function", "against", "worst entry", "given", "expected", "accuracy");
  const auto number = [](double x) { return fmt::format("{:.6g}", x); };
  for (const Line& line : lines)
    table += fmt::format(kColumns, line.is_consistent ? "ok" : "MISTAKE", line.function, line.against, line.entry,
                         number(line.value), number(line.expected), fmt::format("{:.1e}", line.accuracy));
  for (const std::string& problem : problems) table += fmt::format("{:<8} {}\n", "PROBLEM", problem);
  return table;
}

std::ostream& operator<<(std::ostream& out, const BlackBoxCheck& check) { return out << check.text(); }

}  // namespace cotangent
