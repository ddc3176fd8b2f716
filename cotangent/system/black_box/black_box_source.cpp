#include "cotangent/system/black_box/black_box_source.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <stdexcept>

namespace cotangent {
namespace {

using Direction = Contraction::Direction;
using Result = Contraction::Result;

using Evaluate = std::function<void(const Frame<double>& frame)>;

class FunctionOperation final : public Operation<double> {
 public:
  explicit FunctionOperation(Evaluate evaluate) : evaluate_(std::move(evaluate)) {}
  void operator()(const Frame<double>& frame) const override { evaluate_(frame); }

 private:
  Evaluate evaluate_;
};

[[noreturn]] void refuse(const char* what) {
  throw std::invalid_argument(std::string("black box: ") + what + " are not available");
}

double inner(const double* a, const double* b, std::size_t size) {
  double sum = 0;
  for (std::size_t j = 0; j < size; ++j) sum += a[j] * b[j];
  return sum;
}

// The larger of two numbers; what is not a number is larger than any.
double larger(double a, double b) { return b > a || std::isnan(b) ? b : a; }

double largest(const double* x, std::size_t size) {
  double most = 0;
  for (std::size_t j = 0; j < size; ++j) most = larger(most, std::abs(x[j]));
  return most;
}

void add(const std::vector<double>& part, double* sum) {
  for (std::size_t j = 0; j < part.size(); ++j) sum[j] += part[j];
}

double* result(const Frame<double>& frame) { return frame.out[out::result]; }

}  // namespace

BlackBoxSource::BlackBoxSource(const Elements& elements)
    : functions_(elements.declared->functions),
      box_(*functions_),
      places_(elements.declared->constraint_places),
      zero_(static_cast<std::size_t>(box_.n), 0.0),
      x_(zero_),
      y_(zero_),
      part_(zero_),
      rows_(static_cast<std::size_t>(box_.m), 0.0),
      scales_(rows_),
      dG_(places_.size(), 0.0),
      of_gradient_(zero_.size()),
      of_rows_(rows_.size()),
      of_G_(dG_.size()) {
  for (Point& point : points_) {
    point.q = zero_;
    point.G = dG_;
  }
}

std::unique_ptr<Operation<double>> BlackBoxSource::make(const Contraction& contraction) {
  const auto operation = [](Evaluate evaluate) { return std::make_unique<FunctionOperation>(std::move(evaluate)); };
  const auto& directions = contraction.directions;
  const bool along = !directions.empty(), norms = contraction.norms;
  const bool is_gradient = contraction.result != Result::value, by_p = contraction.result == Result::gradient_p;
  const bool by_v = is_gradient && !by_p && contraction.result != Result::gradient_q;
  const Direction d = along ? directions[0] : Direction{.q = false};
  switch (contraction.of) {
    case Contraction::Of::H:
      if (directions.size() > 1) refuse("derivatives of H beyond the second");
      if (by_v) refuse("derivatives of H by velocities");
      return operation([=, this](const Frame<double>& f) {
        const Line at = line(f, d);
        if (is_gradient && along) return gradient_along(at, by_p, result(f));
        if (is_gradient) return (by_p ? box_.H_p : box_.H_q)(at.q, at.p, at.t, result(f));
        *result(f) = along ? H_along(at) : box_.H(at.q, at.p, at.t);
      });
    case Contraction::Of::g:
      if (is_gradient) refuse("gradients of rows");
      if (directions.size() > 2) refuse("derivatives of g beyond the second");
      if (directions.size() == 2) {
        if (!d.q || !directions[1].q || d.t != directions[1].t || norms)
          refuse("second derivatives of g by q in one direction and t in the other");
        return operation([=, this](const Frame<double>& f) { g_second(line(f, d), f.in[in::b_q], result(f)); });
      }
      return operation([=, this](const Frame<double>& f) {
        const Line at = line(f, d);
        g_at(at, along, result(f));
        if (norms) find_norms(at, along, result(f), f.out[out::norms]);
      });
    case Contraction::Of::weighted_g:
      if (directions.size() > 1) refuse("weighted derivatives of g beyond the second");
      if (by_p || by_v) refuse("derivatives of g by momenta or velocities");
      return operation([=, this](const Frame<double>& f) {
        const Line at = line(f, d);
        const double* weights = f.in[in::weights];
        if (is_gradient) {
          if (along) G_along(at, dG_.data());
          std::fill_n(result(f), zero_.size(), 0.0);
          add_transposed_product(along ? dG_ : G_at(at.q, at.t), weights, result(f));
        } else {
          g_at(at, along, rows_.data());
          *result(f) = inner(rows_.data(), weights, rows_.size());
        }
      });
    default:
      return nullptr;
  }
}

// --- H

BlackBoxSource::Line BlackBoxSource::line(const Frame<double>& frame, const Direction& direction) const {
  return {.q = frame.in[in::q],
          .p = frame.in[in::p],
          .t = *frame.in[in::t],
          .a = direction.q ? frame.in[in::a_q] : nullptr,
          .b = direction.p ? frame.in[in::a_p] : nullptr,
          .dt = direction.t ? 1.0 : 0.0};
}

// H_q'a + H_p'b + H_t
double BlackBoxSource::H_along(const Line& at) {
  double sum = at.dt != 0 && box_.H_t ? box_.H_t(at.q, at.p, at.t) : 0.0;
  if (at.a) {
    box_.H_q(at.q, at.p, at.t, part_.data());
    sum += inner(part_.data(), at.a, part_.size());
  }
  if (at.b) {
    box_.H_p(at.q, at.p, at.t, part_.data());
    sum += inner(part_.data(), at.b, part_.size());
  }
  return sum;
}

// H_pq a + H_pp b + H_pt, or H_qq a + H_qp b + H_qt: what functions are given for, then the rest as one difference.
void BlackBoxSource::gradient_along(Line at, bool by_p, double* out) {
  const BlackBox::Along& given = by_p ? box_.H_p_along : box_.H_q_along;
  if (box_.is_separable) (by_p ? at.a : at.b) = nullptr;
  if (!box_.H_t) at.dt = 0;
  std::fill_n(out, zero_.size(), 0.0);
  if (by_p && box_.H_pp_times && at.b && (!at.a || !given)) {
    box_.H_pp_times(at.q, at.p, at.t, at.b, out);
    at.b = nullptr;
  } else if (given && (at.a || at.b)) {
    given(at.q, at.p, at.t, at.a ? at.a : zero_.data(), at.b ? at.b : zero_.data(), out);
    at.a = at.b = nullptr;
  }
  if (by_p && at.dt != 0 && box_.H_pt) {
    box_.H_pt(at.q, at.p, at.t, part_.data());
    add(part_, out);
    at.dt = 0;
  }
  if (!at.a && !at.b && at.dt == 0) return;
  difference(by_p ? box_.H_p : box_.H_q, at, of_gradient_, part_.data());
  add(part_, out);
}

// --- g

// g, or along the line G a + g_t.
void BlackBoxSource::g_at(const Line& at, bool along, double* out) {
  if (!along) return box_.g(at.q, at.t, out);
  if (at.dt != 0 && box_.g_t) {
    box_.g_t(at.q, at.t, out);
  } else {
    std::fill_n(out, rows_.size(), 0.0);
  }
  if (at.a) add_product(G_at(at.q, at.t), at.a, out);
}

// g_qq[a, b] and, where the time changes, g_tq (a + b) + g_tt
void BlackBoxSource::g_second(const Line& at, const double* b, double* out) {
  if (box_.g_second) {
    box_.g_second(at.q, at.t, at.a, b, out);
  } else {
    Line fixed_time = at;
    fixed_time.dt = 0;
    G_along(fixed_time, dG_.data());
    std::fill_n(out, rows_.size(), 0.0);
    add_product(dG_, b, out);
  }
  if (at.dt == 0 || !box_.g_t) return;
  for (std::size_t j = 0; j < part_.size(); ++j) part_[j] = at.a[j] + b[j];
  if (box_.g_t_along) {
    box_.g_t_along(at.q, at.t, part_.data(), rows_.data());
  } else {
    Line sum = at;
    sum.a = part_.data();
    const auto g_t = [&](const double* q, const double*, double t, double* rows) { box_.g_t(q, t, rows); };
    difference(g_t, sum, of_rows_, rows_.data());
  }
  add(rows_, out);
}

void BlackBoxSource::G_along(const Line& at, double* values) {
  Line of_G = at;
  of_G.b = nullptr;
  if (!box_.g_t) of_G.dt = 0;
  const auto f = [&](const double* q, const double*, double t, double* out) { box_.G(q, t, out); };
  difference(f, of_G, of_G_, values);
}

// The largest |row|, and the largest sum of |G_rj x_j| and |g_t x_t|, x the direction or, without one, the point.
void BlackBoxSource::find_norms(const Line& at, bool along, const double* rows, double* out) {
  const double* x = !along ? at.q : at.a ? at.a : zero_.data();
  const double x_t = along ? at.dt : at.t;
  std::fill(scales_.begin(), scales_.end(), 0.0);
  if (box_.g_t && x_t != 0) {
    box_.g_t(at.q, at.t, scales_.data());
    for (double& scale : scales_) scale = std::abs(scale * x_t);
  }
  const std::vector<double>& values = G_at(at.q, at.t);
  for (std::size_t e = 0; e < places_.size(); ++e)
    scales_[static_cast<std::size_t>(places_[e].first)] += std::abs(values[e] * x[places_[e].second]);
  out[0] = largest(rows, rows_.size());
  out[1] = largest(scales_.data(), scales_.size());
}

// --- G

const std::vector<double>& BlackBoxSource::G_at(const double* q, double t) {
  ++clock_;
  Point* oldest = &points_[0];
  for (Point& point : points_) {
    if (point.known && point.t == t && std::equal(point.q.begin(), point.q.end(), q)) {
      point.used = clock_;
      return point.G;
    }
    if (point.used < oldest->used) oldest = &point;
  }
  oldest->known = false;  // until the function has returned
  box_.G(q, t, oldest->G.data());
  std::copy_n(q, oldest->q.size(), oldest->q.begin());
  oldest->t = t;
  oldest->used = clock_;
  oldest->known = true;
  return oldest->G;
}

void BlackBoxSource::G(const double* q, const double& t, double* values) {
  const std::vector<double>& known = G_at(q, t);
  std::copy(known.begin(), known.end(), values);
}

void BlackBoxSource::add_product(const std::vector<double>& values, const double* x, double* rows) const {
  for (std::size_t e = 0; e < places_.size(); ++e) rows[places_[e].first] += values[e] * x[places_[e].second];
}

void BlackBoxSource::add_transposed_product(const std::vector<double>& values, const double* u, double* x) const {
  for (std::size_t e = 0; e < places_.size(); ++e) x[places_[e].second] += values[e] * u[places_[e].first];
}

// The derivative of f(q, p, t) along a line.
template <class Function>
void BlackBoxSource::difference(const Function& f, const Line& at, CentralDifference& rule, double* out) {
  const std::size_t n = zero_.size();
  double size = 0, place = 0;
  const auto include = [&](double change, double value, double scale) {
    size = larger(size, change / scale);
    place = larger(place, value / scale);
  };
  if (at.a) include(largest(at.a, n), largest(at.q, n), box_.q_scale);
  if (at.b) include(largest(at.b, n), largest(at.p, n), box_.p_scale);
  if (at.dt != 0) include(std::abs(at.dt), std::abs(at.t), box_.t_scale);
  const auto moved = [&](double s, double* values) {
    for (std::size_t j = 0; j < n && at.a; ++j) x_[j] = at.q[j] + s * at.a[j];
    for (std::size_t j = 0; j < n && at.b; ++j) y_[j] = at.p[j] + s * at.b[j];
    f(at.a ? x_.data() : at.q, at.b ? y_.data() : at.p, at.t + s * at.dt, values);
  };
  rule(moved, size, place, out);
}

}  // namespace cotangent
