#include "cotangent/scheme/operations.hpp"

#include <algorithm>
#include <utility>

#include "cotangent/manifold/lane_failure.hpp"

namespace cotangent {

template <class T>
SchemeOperations<T>::SchemeOperations(const Scheme& scheme, const Schedule& schedule, const std::vector<T*>& at,
                                      Manifold<T>& manifold, SchemeParts<T> parts)
    : scheme_(scheme),
      schedule_(schedule),
      at_(at),
      manifold_(manifold),
      parts_(std::move(parts)),
      begin_(manifold.system().n(), manifold.system().state_count()),
      G_sizes_(scheme.nodes.size()),
      zero_(begin_->q),
      force_(zero_),
      velocity_(zero_),
      rows_(static_cast<std::size_t>(manifold.system().m()), T(0)) {
  for (std::size_t k = 0; k < scheme.nodes.size(); ++k)
    if (scheme.nodes[k].op == SchemeOp::G_sizes) G_sizes_[k] = std::make_unique<RowScales<T>>(manifold.system());
}

template <class T>
void SchemeOperations<T>::make(int id, StepInProgress<T>& now) {
  const Node& made = node(id);
  const auto& in = made.in;
  T* const y = at(id);
  // Arguments that do not matter are read by no kernel, but by other sources of operations.
  const auto or_zero = [&](int argument) { return argument < 0 ? zero_.data() : at(argument); };
  const auto with_p = [&] { return manifold_.system().at(or_zero(in[0]), or_zero(in[1]), time(in[2])); };
  const auto without_p = [&] { return manifold_.system().at(at(in[0]), time(in[1])); };
  const auto sizes = [&]() -> const RowScales<T>& { return *G_sizes_[static_cast<std::size_t>(in[0])]; };
  switch (made.op) {
    case SchemeOp::H_q:
      ++now.report.evaluations;
      return with_p().H_q(y);
    case SchemeOp::H_p:
      return with_p().H_p(y);
    case SchemeOp::H_pp_times:
      return with_p().H_pp_times(at(in[3]), y);
    case SchemeOp::H_p_along:
      return with_p().H_p_along(at(in[3]), at(in[4]), Time::held, y);
    case SchemeOp::g_second:
      return without_p().g_second(at(in[2]), at(in[3]), Time::held, y);
    case SchemeOp::g:
    case SchemeOp::g_rate: {
      const RowSize<T> rows = made.op == SchemeOp::g ? without_p().g(y) : without_p().g_rate(at(in[2]), y);
      now.rows = {rows.largest, rows.scale};
      return;
    }
    case SchemeOp::G_times:
      without_p().G_times(at(in[2]), y);
      return;
    case SchemeOp::Gt_times:
      return without_p().Gt_times(at(in[2]), y);
    case SchemeOp::g_t_times:
      *y = without_p().g_t_times(at(in[2]));
      return;
    case SchemeOp::force: {
      ++now.report.evaluations;
      T power(0);
      manifold_.forcing().force(point(in[0], in[1], in[2], in[3]), at(in[4]), at(in[5]), y, power);
      return give(id, 1, &power);
    }
    case SchemeOp::motion: {
      T power(0);
      const auto report = manifold_.multipliers(point(in[0], in[1], in[2], in[3]), at(in[4]), rows_.data(), y, power);
      static_cast<void>(report);  // a guess
      factored_ = -1;
      give(id, 1, &power);
      return give(id, 2, rows_.data());
    }
    case SchemeOp::rates:
      return manifold_.forcing().rates(point(in[0], in[1], in[2], in[3]), at(in[4]), at(in[5]), *at(in[6]), y);
    case SchemeOp::R:
    case SchemeOp::K:
      return factor(id, now);
    case SchemeOp::factor_solve:
      if (factored_ != in[0]) factor(in[0], now);
      std::copy_n(at(in[1]), made.size, y);
      static_cast<void>(manifold_.matrix().solve(y));
      return;
    case SchemeOp::smallest:
      std::copy_n(at(in[1]), made.size, y);
      return find_smallest(made, y, now);
    case SchemeOp::G_sizes:  // an estimate: that of the first look will do
      if (now.is_first_look) G_sizes_[static_cast<std::size_t>(id)]->evaluate(at(in[0]), time(in[1]));
      return;
    case SchemeOp::position_scale:
      return sizes().of_positions(at(in[1]), time(in[2]), y);
    case SchemeOp::rate_scale:
      return sizes().along_rows(at(in[1]), T(1), y);
    case SchemeOp::force_scale:
      std::fill_n(y, made.size, T(0));
      return sizes().add_along_columns(at(in[1]), y);
    case SchemeOp::join: {
      T* to = y;
      for (const int part : in) {
        if (at(part) != to) std::copy_n(at(part), node(part).size, to);
        to += node(part).size;
      }
      return;
    }
    case SchemeOp::step:
      return make_inner_step(id, now);
    case SchemeOp::dot: {
      T sum(0);
      for (std::size_t k = 0; k < node(in[0]).size; ++k) sum += at(in[0])[k] * at(in[1])[k];
      *y = sum;
      return;
    }
    case SchemeOp::divide_beyond_rounding: {
      const Mask<T> counts = abs(*at(in[2])) > T(4) * T(epsilon<T>()) * *at(in[3]);
      *y = select(counts, *at(in[0]) / select(counts, *at(in[1]), T(1)), T(0));
      return;
    }
    case SchemeOp::energy: {
      const auto& results = schedule_.results[static_cast<std::size_t>(id)];
      return parts_.energy(at(in[0]), *y, results.empty() ? nullptr : at(results[1]), now.report);
    }
    case SchemeOp::field:
      ++now.report.evaluations;
      factored_ = -1;
      return parts_.field(at(in[0]), time(in[1]), y, now.report);
    default:
      return;
  }
}

// A further result of a node, if someone reads it.
template <class T>
void SchemeOperations<T>::give(int id, std::size_t which, const T* result) const {
  const auto& results = schedule_.results[static_cast<std::size_t>(id)];
  if (which < results.size() && results[which] >= 0) std::copy_n(result, node(results[which]).size, at(results[which]));
}

// Lanes in which K is singular may get on all the same: whoever solves with it sees whether they do.
template <class T>
void SchemeOperations<T>::factor(int id, StepInProgress<T>& now) {
  const auto& in = node(id).in;
  ConstraintMatrix<T>& matrix = manifold_.matrix();
  factored_ = id;
  if (node(id).op == SchemeOp::K) {
    const auto factors = matrix.factor_newton(at(in[0]), time(in[1]), point(in[2], in[3], in[4], in[5]));
    now.singular = now.singular | (now.active & !factors.regular);
    return;
  }
  const Mask<T> singular = now.report.ok & !matrix.factor(point(in[0], in[1], in[2], in[3])).regular;
  if (!any(singular)) return;
  fail_lanes(now.report, singular, StepStatus::position_solve_failed, T(infinity<T>()));
  blame_constraints(singular, now);
}

template <class T>
void SchemeOperations<T>::blame_constraints(const Mask<T>& singular, StepInProgress<T>& now) {
  if (!any(singular)) return;
  ConstraintMatrix<T>& matrix = manifold_.matrix();
  const Mask<T> at_start = singular & !matrix.factor(*now.z).regular;
  factored_ = -1;
  if (!any(at_start)) return;
  now.report.status = StepStatus::singular_constraints;
  for (int i = 0; i < lane_count<T> && now.report.row < 0; ++i)
    if (lane(at_start, i)) now.report.row = matrix.worst_row(i);
}

// u <- R^+ R u where rows of R depend on others.
template <class T>
void SchemeOperations<T>::find_smallest(const Node& made, T* u, StepInProgress<T>& now) {
  if (factored_ != made.in[0]) factor(made.in[0], now);
  ConstraintMatrix<T>& matrix = manifold_.matrix();
  const Mask<T> is_dependent =
      matrix.nullity() > 0 ? Mask<T>(true) : !(matrix.condition() < T(1 / rank_tolerance<T>()));
  if (!any(is_dependent)) return;
  const auto& in = node(made.in[0]).in;
  const At<T> here = manifold_.system().at(point(in[0], in[1], in[2], in[3]));
  here.Gt_times(u, force_);
  here.H_pp_times(force_, velocity_);
  here.G_times(velocity_, rows_);
  static_cast<void>(matrix.solve(rows_.data()));
  for (std::size_t k = 0; k < rows_.size(); ++k) u[k] = select(is_dependent, rows_[k], u[k]);
}

template <class T>
void SchemeOperations<T>::make_inner_step(int id, StepInProgress<T>& now) {
  const auto& in = node(id).in;
  using Z = PhasePoint<T>;
  const std::initializer_list<std::vector<T> Z::*> parts{&Z::q, &Z::q_low, &Z::p, &Z::p_low, &Z::s, &Z::s_low};
  // Whatever the other method knew before: this is another point.
  Z& begin = begin_.change();
  std::size_t k = 0;
  for (const auto part : parts) std::copy_n(at(in[k++]), (begin.*part).size(), (begin.*part).begin());
  begin.t = now.z->t;
  begin.t_low = now.z->t_low;
  factored_ = -1;  // it has use for the matrix
  const StepReport<T> made = parts_.inner(begin_, now.h, end_);
  if (!any(made.ok)) end_.change() = begin;
  now.report.iterations += made.iterations;
  now.report.evaluations += made.evaluations;
  if (const Mask<T> failed = now.report.ok & !made.ok; any(failed)) {
    now.report.row = made.row;
    now.report.tolerance = made.tolerance;
    fail_lanes(now.report, failed, made.status, made.residual);
  }
  std::copy(end_->q.begin(), end_->q.end(), at(id));
  k = 0;
  for (const auto part : parts) give(id, k++, (end_.state().*part).data());
}

COTANGENT_INSTANTIATE(NUMBERS, SchemeOperations);

}  // namespace cotangent
