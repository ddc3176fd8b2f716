#include "cotangent/manifold/initial_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

#include "cotangent/elements/loop_nest.hpp"
#include "cotangent/expr/algorithm.hpp"
#include "cotangent/kernel/kernel.hpp"
#include "cotangent/solve/stopping.hpp"

namespace cotangent {
namespace {

// What [initial] says. Entries that it does not mention are not numbers.
template <class T>
struct GivenValues {
  explicit GivenValues(std::int64_t n)
      : q(static_cast<std::size_t>(n), T(std::numeric_limits<double>::quiet_NaN())),
        p(q),
        v(q),
        by_velocity(q.size()) {}

  std::vector<T> q, p, v;
  std::vector<char> by_velocity;  // whether v is given, not p
};

template <class T>
class InitialEvaluator {
 public:
  InitialEvaluator(const Model& model, GivenValues<T>& values)
      : model_(model), graph_(*model.graph), values_(values), compiler_(Backend::interpreter) {
    for (const auto& parameter : model.parameters)
      parameters_.emplace(graph_.symbol_expr(parameter.symbol).id(), graph_.constant(parameter.value));
  }

  void evaluate_all() {
    for (const auto& initial : model_.initial) evaluate(initial);
    for (const auto& c : model_.coordinates)
      if (std::any_of(model_.initial.begin(), model_.initial.end(), [&](const auto& i) { return i.target == c.v; }))
        std::fill_n(values_.by_velocity.begin() + c.offset, c.size(), char{1});
  }

 private:
  struct Target {
    const Coordinate* coordinate;
    std::vector<T>* vector;
  };

  Target find(SymbolId symbol) const {
    for (const auto& c : model_.coordinates) {
      if (symbol == c.q) return {&c, &values_.q};
      if (symbol == c.p) return {&c, &values_.p};
      if (symbol == c.v) return {&c, &values_.v};
    }
    throw std::invalid_argument(
        fmt::format("'{}' has an initial value but is not a coordinate", graph_.symbol(symbol).name));
  }

  void evaluate(const Assignment& initial) {
    const auto [coordinate, vector] = find(initial.target);
    const Expr value = substitute(initial.value, parameters_);
    if (initial.loops.empty()) {
      const std::int64_t at = coordinate->offset + static_cast<std::int64_t>(constant(place(initial, *coordinate)));
      (*vector)[static_cast<std::size_t>(at)] = static_cast<T>(constant(value));
      return;
    }
    std::vector<Loop> loops;
    for (const auto& loop : initial.loops)
      loops.push_back({loop.index, substitute(loop.lo, parameters_), substitute(loop.hi, parameters_)});
    const LoopNest nest(std::move(loops));
    if (nest.count() == 0) return;
    const IndexMap at = nest.map(place(initial, *coordinate)).shifted(coordinate->offset);
    const auto is_sum = [](Expr e) { return e.op() == Op::sum; };
    if (depends_on(value, is_sum)) {
      one_by_one(value, nest, at, *vector);
    } else {
      in_bulk(value, nest, at, *vector);
    }
  }

  // (i_1 - 1) + N_1 ((i_2 - 1) + N_2 ...)
  Expr place(const Assignment& initial, const Coordinate& coordinate) const {
    Expr place = graph_.constant(0);
    std::int64_t stride = 1;
    for (std::size_t d = 0; d < initial.indices.size(); ++d) {
      place = place + (substitute(initial.indices[d], parameters_) - 1) * static_cast<double>(stride);
      stride *= coordinate.shape[d];
    }
    return place;
  }

  void in_bulk(Expr value, const LoopNest& nest, const IndexMap& at, std::vector<T>& vector) {
    KernelSpec spec;
    spec.count = nest.count();
    for (int l = 0; l < nest.depth(); ++l) spec.counters.push_back({index(nest, l), nest.index(l)});
    spec.stores.push_back({value, 0, at, KernelSpec::Mode::assign});
    T* const out[] = {vector.data()};
    compiler_.add(std::move(spec))(nullptr, out);
  }

  // Kernels know no sums.
  void one_by_one(Expr value, const LoopNest& nest, const IndexMap& at, std::vector<T>& vector) const {
    for (std::int64_t k = 0; k < nest.count(); ++k) {
      const LeafValue<T> leaf = [&](SymbolId symbol, auto) {
        for (int l = 0; l < nest.depth(); ++l)
          if (nest.loops()[static_cast<std::size_t>(l)].index == symbol) return static_cast<T>(nest.index(l)(k));
        return T(std::numeric_limits<double>::quiet_NaN());
      };
      vector[static_cast<std::size_t>(at(k))] = cotangent::evaluate<T>(value, leaf);
    }
  }

  static Quad constant(Expr e) {
    if (e.is_constant()) return e.value();
    return cotangent::evaluate<Quad>(
        e, [](SymbolId, auto) { return static_cast<Quad>(std::numeric_limits<double>::quiet_NaN()); });
  }

  Expr index(const LoopNest& nest, int l) const {
    return graph_.symbol_expr(nest.loops()[static_cast<std::size_t>(l)].index);
  }

  const Model& model_;
  Graph& graph_;
  GivenValues<T>& values_;
  KernelCompiler<T> compiler_;
  Replacement parameters_;
};

template <class T>
void check_finite(const Model& model, const GivenValues<T>& given) {
  const auto check = [&](const T& value, const char* prefix, std::size_t i) {
    if (!isfinite(value))
      throw std::invalid_argument(fmt::format("the initial value of '{}{}' is not a finite number", prefix,
                                              entry_name(model, static_cast<std::int64_t>(i))));
  };
  for (std::size_t i = 0; i < given.q.size(); ++i) check(given.q[i], "", i);
  for (std::size_t i = 0; i < given.q.size(); ++i)
    given.by_velocity[i] ? check(given.v[i], "v_", i) : check(given.p[i], "p_", i);
}

template <class T>
T inner(const std::vector<T>& a, const std::vector<T>& b) {
  T sum(0);
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

template <class T>
void add_multiple(std::vector<T>& x, const T& factor, const std::vector<T>& y) {
  for (std::size_t i = 0; i < x.size(); ++i) x[i] += factor * y[i];
}

/// Solves H_p(q, p) = v for the entries of p whose velocity is given, by Newton's method with step halving:
///
///   H_pp(q, p) d = v - H_p(q, p),  p <- p + s d,  s = 1, 1/2, 1/4, ... until the residual falls.
///
/// Where H_pp is a constant diagonal one iteration is exact. Otherwise d comes from minimal residuals
/// [paige-saunders75], which need products H_pp a only and no definiteness; a rough d is enough, the next
/// Newton iteration takes care of the rest.
template <class T>
class MomentaOfVelocities {
 public:
  MomentaOfVelocities(const Model& model, System<T>& system, const GivenValues<T>& given)
      : model_(model),
        system_(system),
        given_(given),
        H_p_(system.H_p()),
        H_pp_times_(system.H_pp_times()),
        frame_(system.frame()),
        residual_(given.q.size()),
        direction_(given.q.size()),
        trial_(given.q.size()),
        velocity_(given.q.size()) {}

  /// Sets the entries of p whose velocity is given; the others are arguments.
  void solve(const std::vector<T>& q, std::vector<T>& p) {
    frame_.in[in::q] = q.data();
    T norm = residual(p);
    RoundingStop<T> stop({.max_iterations = 200, .max_stalls = 50});
    while (stop.update(norm, epsilon<T>() * scale_)) {
      find_direction(p);
      const T before = squares_;
      T s(1);
      for (int halvings = 0; halvings < 40; ++halvings, s /= 2) {
        trial_ = p;
        add_multiple(trial_, s, direction_);
        norm = residual(trial_);
        if (squares_ < before) break;
      }
      if (!(squares_ < before)) {  // nothing is gained: either rounding error is reached, or no momentum fits
        static_cast<void>(stop.update(residual(p), epsilon<T>() * scale_));
        break;
      }
      p = trial_;
    }
    if (!all(stop.converged())) fail(p);
  }

 private:
  // r = v - H_p, its largest entry, the sum of its squares and the size of what it is the difference of.
  T residual(const std::vector<T>& p) {
    frame_.in[in::p] = p.data();
    frame_.out[out::result] = velocity_.data();
    H_p_(frame_);
    T norm(0);
    scale_ = squares_ = T(0);
    for (std::size_t i = 0; i < p.size(); ++i) {
      residual_[i] = given_.by_velocity[i] ? given_.v[i] - velocity_[i] : T(0);
      squares_ += residual_[i] * residual_[i];
      norm = isfinite(residual_[i]) ? max(norm, abs(residual_[i])) : infinity<T>();
      if (given_.by_velocity[i]) scale_ = max(scale_, abs(given_.v[i]) + abs(velocity_[i]));
    }
    return norm;
  }

  void find_direction(const std::vector<T>& p) {
    if (const auto& mass = system_.diagonal_mass()) {
      for (std::size_t i = 0; i < p.size(); ++i) direction_[i] = (*mass)[i] != T(0) ? residual_[i] / (*mass)[i] : T(0);
    } else {
      frame_.in[in::p] = p.data();
      minimal_residuals();
    }
  }

  // y = H_pp x on the entries that are sought.
  void multiply(const std::vector<T>& x, std::vector<T>& y) {
    frame_.in[in::a_p] = x.data();
    frame_.out[out::result] = y.data();
    H_pp_times_(frame_);
    for (std::size_t i = 0; i < y.size(); ++i)
      if (!given_.by_velocity[i]) y[i] = T(0);
  }

  // Directions a with b = H_pp a, the b orthogonal to each other; each takes out of r its part along b.
  void minimal_residuals() {
    const std::size_t n = residual_.size();
    std::vector<T> r = residual_, a0 = r, b0(n), a1(n), b1(n), a2(n), b2(n);
    std::fill(direction_.begin(), direction_.end(), T(0));
    multiply(a0, b0);
    const T goal = inner(r, r) * T(1e-16);
    const std::size_t most = 3 * n + 10;
    for (std::size_t k = 0; k < most; ++k) {
      a2.swap(a1), b2.swap(b1);
      a1.swap(a0), b1.swap(b0);
      const T b1b1 = inner(b1, b1);
      if (!(b1b1 > T(0))) return;
      const T alpha = inner(r, b1) / b1b1;
      add_multiple(direction_, alpha, a1);
      add_multiple(r, -alpha, b1);
      if (inner(r, r) <= goal) return;
      a0 = b1;
      multiply(a0, b0);
      const T beta1 = inner(b0, b1) / b1b1;
      add_multiple(a0, -beta1, a1);
      add_multiple(b0, -beta1, b1);
      if (k == 0) continue;
      const T beta2 = inner(b0, b2) / inner(b2, b2);
      add_multiple(a0, -beta2, a2);
      add_multiple(b0, -beta2, b2);
    }
  }

  [[noreturn]] void fail(const std::vector<T>& p) {
    static_cast<void>(residual(p));
    std::size_t worst = 0;
    for (std::size_t i = 0; i < p.size(); ++i)
      if (!(abs(residual_[i]) <= abs(residual_[worst]))) worst = i;
    const std::string name = entry_name(model_, static_cast<std::int64_t>(worst));
    throw std::invalid_argument(
        fmt::format("no momenta were found for the initial velocities: v_{0} = {1:g} was given, the nearest that H "
                    "allows is off by {2:.3g}; give p_{0} instead, or check that H depends on it",
                    name, static_cast<double>(given_.v[worst]), static_cast<double>(abs(residual_[worst]))));
  }

  const Model& model_;
  System<T>& system_;
  const GivenValues<T>& given_;
  Request<T> H_p_, H_pp_times_;
  Frame<T> frame_;
  std::vector<T> residual_, direction_, trial_, velocity_;
  T scale_ = T(0), squares_ = T(0);
};

struct WorstRow {
  std::int64_t row = 0;
  double value = 0;
};

template <class T>
WorstRow worst_of(const std::vector<T>& rows) {
  WorstRow worst;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const auto value = static_cast<double>(abs(rows[r]));
    if (!(value <= worst.value)) worst = {static_cast<std::int64_t>(r), value};
  }
  return worst;
}

// The row of g(q), or of G H_p where p is given, with the largest absolute value.
template <class T>
WorstRow worst_constraint(System<T>& system, const std::vector<T>& q, const std::vector<T>* p) {
  std::vector<T> rows(static_cast<std::size_t>(system.m())), norms(2), v(q.size());
  Frame<T> frame = system.frame();
  frame.in[in::q] = q.data();
  frame.out[out::norms] = norms.data();
  if (p) {
    frame.in[in::p] = p->data();
    frame.out[out::result] = v.data();
    system.H_p()(frame);
    frame.in[in::a_q] = v.data();
  }
  frame.out[out::result] = rows.data();
  p ? system.G_times()(frame) : system.g()(frame);
  return worst_of(rows);
}

template <class T>
[[noreturn]] void refuse(System<T>& system, const SolveReport<T>& report, const PhasePoint<T>& given, bool momenta) {
  const Elements& elements = system.elements();
  // Only if no correction could be made is the singular matrix that of the initial data themselves.
  if (!report.regular && report.row >= 0 && report.iterations == 0)
    throw std::invalid_argument(fmt::format(
        "the constraint '{}' has no gradient at the initial data, or depends on the other constraints there: "
        "the multipliers are not determined; remove it or move the initial data",
        elements.row_name(report.row)));
  const WorstRow worst = worst_constraint(system, given.q, momenta ? &given.p : nullptr);
  const char* what = momenta ? "momenta" : "positions";
  const char* residual = momenta ? "G H_p" : "g";
  throw std::invalid_argument(
      fmt::format("the initial {} contradict the constraints and no consistent ones were found near them: the worst "
                  "constraint is '{}' with {} = {:.6g} (the projection stopped at a residual of {:.3g})",
                  what, elements.row_name(worst.row), residual, worst.value, static_cast<double>(report.residual)));
}

template <class T>
T largest_difference(const std::vector<T>& a, const std::vector<T>& b) {
  T largest(0);
  for (std::size_t i = 0; i < a.size(); ++i) largest = max(largest, abs(a[i] - b[i]));
  return largest;
}

}  // namespace

template <class T>
InitialData<T> make_initial_data(const Model& model, Manifold<T>& manifold, InitialPolicy policy) {
  System<T>& system = manifold.system();
  GivenValues<T> given(system.n());
  InitialEvaluator<T>(model, given).evaluate_all();
  check_finite(model, given);

  const bool by_velocity = std::count(given.by_velocity.begin(), given.by_velocity.end(), 1) > 0;
  MomentaOfVelocities<T> momenta(model, system, given);
  InitialData<T> data;
  data.z = PhasePoint<T>(system.n());
  data.z.q = given.q;
  for (std::size_t i = 0; i < given.p.size(); ++i) data.z.p[i] = given.by_velocity[i] ? T(0) : given.p[i];
  if (by_velocity) momenta.solve(data.z.q, data.z.p);
  data.z.touch();
  if (policy == InitialPolicy::as_given || system.m() == 0) return data;

  PhasePoint<T> before = data.z;
  const auto position = manifold.project_position(data.z);
  if (!all(position.converged) || !position.regular) refuse(system, position, before, false);
  data.position_change = largest_difference(data.z.q, before.q);
  if (by_velocity && data.position_change > T(0)) momenta.solve(data.z.q, data.z.p);

  before = data.z;
  const auto momentum = manifold.project_momentum(data.z);
  if (!all(momentum.converged) || !momentum.regular) refuse(system, momentum, before, true);
  data.momentum_change = largest_difference(data.z.p, before.p);

  // A trajectory starts from rounded numbers.
  std::fill(data.z.q_low.begin(), data.z.q_low.end(), T(0));
  std::fill(data.z.p_low.begin(), data.z.p_low.end(), T(0));
  data.z.touch();
  return data;
}

template InitialData<double> make_initial_data(const Model&, Manifold<double>&, InitialPolicy);
template InitialData<long double> make_initial_data(const Model&, Manifold<long double>&, InitialPolicy);
template InitialData<Quad> make_initial_data(const Model&, Manifold<Quad>&, InitialPolicy);

}  // namespace cotangent
