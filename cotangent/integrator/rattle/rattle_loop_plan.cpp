#include "cotangent/integrator/rattle/rattle_loop_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "cotangent/derivatives/derivatives.hpp"
#include "cotangent/expr/algorithm.hpp"
#include "cotangent/integrator/step_watch.hpp"
#include "cotangent/system/at.hpp"
#include "cotangent/system/operation/fuse.hpp"

namespace cotangent {
namespace {

// Kernels larger than this would take long to compile.
constexpr std::size_t kMaxNodes = 1500;

using L = RattleLoopPlan;
using P = RattlePlan;
using Vector = std::vector<Expr>;

// What a stage reads, by input vector; scalars and columns are read where they are.
using Inputs = std::map<int, Vector>;

// What stages give, by output vector and index.
struct Values : std::map<std::pair<int, std::int64_t>, Expr> {
  Vector all(int vector, std::int64_t count) const {
    Vector result;
    for (std::int64_t k = 0; k < count; ++k) result.push_back(at({vector, k}));
    return result;
  }
};

// A matrix by its factors, A = L D U, without pivoting.
class Factors {
 public:
  explicit Factors(std::vector<Vector> a) : a_(std::move(a)) {
    for (std::size_t k = 0; k < a_.size(); ++k) {
      inverse_.push_back(1 / a_[k][k]);
      for (std::size_t i = k + 1; i < a_.size(); ++i) {
        a_[i][k] = a_[i][k] * inverse_[k];
        for (std::size_t j = k + 1; j < a_.size(); ++j) a_[i][j] = a_[i][j] - a_[i][k] * a_[k][j];
      }
    }
  }

  const Vector& inverse_pivots() const { return inverse_; }

  Vector solve(Vector x) const {
    for (std::size_t k = 0; k < x.size(); ++k)
      for (std::size_t i = k + 1; i < x.size(); ++i) x[i] = x[i] - a_[i][k] * x[k];
    for (std::size_t k = x.size(); k-- > 0;) {
      for (std::size_t j = k + 1; j < x.size(); ++j) x[k] = x[k] - a_[k][j] * x[j];
      x[k] = x[k] * inverse_[k];
    }
    return x;
  }

 private:
  std::vector<Vector> a_;  // D U in the upper part, and L below it
  Vector inverse_;         // of the pivots
};

class LoopPlanner {
 public:
  LoopPlanner(const Elements& elements, const RattlePlan& plan, const CouplingPlan& coupling, int place_size)
      : n_(elements.n),
        m_(elements.m),
        rows_(static_cast<std::size_t>(m_)),
        place_size_(place_size),
        plan_(plan),
        coupling_(coupling),
        free_(elements.free_coordinates()),
        elements_(elements),
        graph_(*plan.graph),
        places_(graph_, 1) {}

  std::optional<RattleLoopPlan> plan(bool is_watched, int tangents) {
    step();
    if (nodes() > kMaxNodes) return std::nullopt;
    if (tangents > 0) differentiate(tangents);
    if (nodes() > (1 + static_cast<std::size_t>(tangents)) * kMaxNodes) return std::nullopt;
    drop_unused(spec_);
    RattleLoopPlan plan{tangents == 0 ? repeated() : KernelSpec{}, spec_, {}};
    if (is_watched && watch()) plan.watched = repeated(), plan.besides = besides_;
    return plan;
  }

 private:
  // Loads and stores of the values; the guard.
  void step() {
    // Prediction and one correction of l.
    for (std::size_t r = 0; r < rows_; ++r) l_.push_back(m_before_[r] + (2 * w_[r] - w_before_[r]));
    const Values predicted = run(P::drift_newton, drift(l_));
    const Vector x = newton_factors(predicted).solve(predicted.all(P::rows, m_));
    for (std::size_t r = 0; r < rows_; ++r) l_[r] = l_[r] + x[r] * scalar_[L::per_h];
    const Values drifted = run(P::drift, drift(l_));
    const Vector Q = drifted.all(P::moved, n_);

    // The second kick and its projection.
    const Values kicked = run(P::kick_momentum, kick(drifted));
    next_m_ = factors(kicked).solve(kicked.all(P::rows, m_));
    const Values projected = run(P::project_verify, projection(drifted, kicked, next_m_));
    end_ = {{in::q, Q}, {in::p, projected.all(P::moved, n_)}};

    write_point(drifted, kicked, projected, [](Vector values) { return values; });
    write(L::m, next_m_);
    write(L::w, difference(l_, m_before_));
    write(L::w_before, w_);

    guard_ = accepted(Q, kicked, projected);
    write(L::accepted, {guard_});
    spec_.loads = places_.loads();
    for (auto& load : spec_.loads) load.at = number(load.at(0), 0);
    spec_.count = 1;
  }

  Inputs drift(const Vector& l) const {
    return {{P::q, q_}, {P::p, p_}, {P::q_low, q_low_}, {P::p_low, p_low_}, {P::force, f_}, {P::multipliers, l}};
  }
  Inputs kick(const Values& drifted) const {
    return {{P::q, drifted.all(P::moved, n_)}, {P::p, p_}, {P::kick_before, drifted.all(P::kick_after, n_)}};
  }
  Inputs projection(const Values& drifted, const Values& kicked, const Vector& m) const {
    return {{P::q, drifted.all(P::moved, n_)},
            {P::p, p_},
            {P::p_low, p_low_},
            {P::kick_before, kicked.all(P::kick_after, n_)},
            {P::multipliers, m}};
  }

  Values run(P::Stage stage, const Inputs& inputs) {
    const KernelSpec& spec = plan_.stages[stage].kernels[0];
    Replacement to_value;
    for (const auto& load : spec.loads) {
      const auto given = inputs.find(load.vector);
      to_value.emplace(load.symbol.id(), given == inputs.end()
                                             ? places_.symbol(load)
                                             : given->second.at(static_cast<std::size_t>(load.at(0))));
    }
    Values values;
    for (const auto& store : spec.stores) values[{store.vector, store.at(0)}] = substitute(store.value, to_value);
    return values;
  }

  // K, or R, as a stage left it.
  Factors newton_factors(const Values& values) const { return factors(values, CouplingPlan::upper); }
  Factors factors(const Values& values, int upper = CouplingPlan::lower) const {
    std::vector<Vector> a(rows_, Vector(rows_, graph_.constant(0)));
    for (std::size_t i = 0; i < rows_; ++i) a[i][i] = values.at({CouplingPlan::diagonal, i});
    for (std::size_t e = 0; e < coupling_.off_diagonal.size(); ++e) {
      const auto i = static_cast<std::size_t>(coupling_.off_diagonal[e].first);
      const auto j = static_cast<std::size_t>(coupling_.off_diagonal[e].second);
      a[i][j] = values.at({CouplingPlan::lower, e});
      a[j][i] = values.at({upper, e});
    }
    return Factors(std::move(a));
  }

  // Whether both solves are at their rounding level. That of g is taken at Q alone, which is a little stricter than
  // in Rattle; where G vanishes it is zero, and the step does not count: R is not singular where it does. With one
  // constraint m' is a quotient, and leaves nothing of psi but its rounding.
  Expr accepted(const Vector& Q, const Values& kicked, const Values& projected) {
    const auto is_less = [this](Expr a, Expr b) { return graph_.apply(Op::lt, a, b); };
    const Values position = run(P::position, {{P::q, Q}, {P::q_start, Q}});
    const Expr largest = graph_.constant(0x1p1000);
    Expr result = is_less(position.at({P::norms, P::excess}), graph_.constant(0));
    if (m_ > 1) {
      Expr reaction;  // as ConstraintMatrix::diagonal_scale
      for (std::size_t r = 0; r < rows_; ++r) {
        const Expr term = kicked.at({CouplingPlan::diagonal, r}) * abs(next_m_[r]);
        reaction = reaction.valid() ? max(reaction, term) : term;
      }
      result = result * is_less(projected.at({P::norms, P::excess}), scalar_[L::level] * reaction);
    }
    for (const std::int64_t j : free_)
      result = result * is_less(abs(Q[static_cast<std::size_t>(j)]), largest) *
               is_less(abs(projected.at({P::moved, j})), largest);
    return result;
  }

  // Adds what a StepWatch sees where a step ends. False where that takes more than one kernel of a single instance
  // each.
  bool watch() {
    const auto H = evaluate(Derivative::H, end_), g = evaluate(Derivative::g, end_),
               v = evaluate(Derivative::H_p, end_);
    if (!H || !g || !v) return false;
    Inputs moving = end_;
    moving[in::a_q] = all(*v, out::result, n_);
    const auto psi = evaluate(Derivative::g_rate, moving);
    if (!psi) return false;

    const Expr start = places_.symbol(L::H_start, IndexMap::fixed(0));
    const Vector numbers{rounded(at(*H, {out::result, 0})) - start, at(*g, {out::norms, 0}), at(*psi, {out::norms, 0})};
    write(L::last, numbers);
    Vector magnitudes;
    for (const Expr number : numbers) magnitudes.push_back(abs(number));
    magnitudes.push_back(condition());
    write(L::largest, magnitudes, 0, KernelSpec::Mode::max);
    spec_.loads = places_.loads();
    drop_unused(spec_);
    return nodes() <= kMaxNodes;
  }

  // max R_ii / D_i.
  Expr condition() {
    const Vector &Q = end_.at(in::q), &at_P = end_.at(in::p);
    const Values matrix = evaluate(plan_.stages[P::momentum].kernels[0],
                                   {{P::q, Q}, {P::p, at_P}, {P::p_start, at_P}, {P::masses, read(P::W, n_)}});
    const Vector inverse_pivots = factors(matrix).inverse_pivots();
    Expr largest = graph_.constant(0);
    for (std::size_t r = 0; r < rows_; ++r)
      largest = max(largest, abs(matrix.at({CouplingPlan::diagonal, r}) * inverse_pivots[r]));
    return largest;
  }

  // The values that the operation of a derivative writes, if it is a single instance of a single kernel.
  std::optional<Values> evaluate(Derivative derivative, const Inputs& inputs) {
    ContractionBuilder builder(elements_);
    const std::vector<KernelSpec> specs = builder.build(contraction_of(derivative)).kernels;
    if (specs.empty()) return Values();
    if (specs.size() > 1 || specs[0].count != 1 || !specs[0].counters.empty()) return std::nullopt;
    for (const auto& load : specs[0].loads)
      if (!inputs.contains(load.vector) && load.vector < in::kColumns) return std::nullopt;
    return evaluate(specs[0], inputs);
  }

  // The values that a kernel of a graph of its own writes, to the last bit, while the step beside it keeps its digits,
  // too. Products are fused into sums where they are used once: so nothing of either is the same value as something of
  // the other, or of another call, and everything that the kernel writes is written here.
  Values evaluate(const KernelSpec& spec, const Inputs& inputs) {
    ++evaluations_;
    const auto apart = [&](Expr e) {
      for (int k = 0; k < evaluations_; ++k) e = rounded(e);
      return e;
    };
    Replacement leaves;
    for (const auto& load : spec.loads) {
      const auto given = inputs.find(load.vector);
      leaves.emplace(load.symbol.id(),
                     apart(given == inputs.end() ? places_.symbol(load.vector, load.at)
                                                 : given->second.at(static_cast<std::size_t>(load.at(0)))));
    }
    Values values;
    for (const auto& store : spec.stores) {
      const Expr value = transplanted(store.value, graph_, leaves);
      values[{store.vector, store.at(0)}] = value;
      spec_.stores.push_back({value, L::beside, IndexMap::fixed(besides_++), KernelSpec::Mode::assign});
    }
    return values;
  }

  // Entries that no store writes are zero.
  Expr at(const Values& values, const std::pair<int, std::int64_t>& place) const {
    const auto found = values.find(place);
    return found != values.end() ? found->second : graph_.constant(0);
  }
  Vector all(const Values& values, int vector, std::int64_t count) const {
    Vector result;
    for (std::int64_t k = 0; k < count; ++k) result.push_back(at(values, {vector, k}));
    return result;
  }

  // Loads and stores of derivatives. The multipliers are symbols at first, so that they can be held.
  void differentiate(int tangents) {
    const Vector l = unknowns("l"), m = unknowns("m");
    const Values drifted = run(P::drift_newton, drift(l)), kicked = run(P::kick_momentum, kick(drifted));
    const Values projected = run(P::project_verify, projection(drifted, kicked, m));
    const Factors K = newton_factors(drifted), R = factors(kicked);
    Replacement found;
    for (std::size_t r = 0; r < rows_; ++r) {
      found.emplace(l[r].id(), l_[r]);
      found.emplace(m[r].id(), next_m_[r]);
    }
    Substitution at_solution(found);

    for (int k = 1; k <= tangents; ++k) {
      Rates rates;
      const auto read = [&](int vector, const Vector& values) {
        Vector result;
        for (std::size_t j = 0; j < values.size(); ++j) {
          const Expr dx = graph_.new_symbol(fmt::format("d{}", k), SymbolKind::local);
          spec_.loads.push_back({dx, vector, number(static_cast<std::int64_t>(j), k)});
          rates[values[j].id()] = dx;
          result.push_back(dx);
        }
        return result;
      };
      const auto along = [&](Vector values) {
        for (Expr& value : values) value = derivative(value, rates);
        return values;
      };
      const auto solved = [&](Vector values) {
        for (Expr& value : values) value = at_solution(value);
        return values;
      };
      read(L::q, q_);
      read(L::p, p_);
      read(L::q_low, q_low_);
      read(L::p_low, p_low_);
      read(L::f, f_);
      Vector dl = K.solve(along(drifted.all(P::rows, m_)));
      for (std::size_t r = 0; r < rows_; ++r) {
        dl[r] = dl[r] * scalar_[L::per_h];
        rates[l[r].id()] = dl[r];
      }
      const Vector dm = R.solve(along(projected.all(P::rows, m_)));
      for (std::size_t r = 0; r < rows_; ++r) rates[m[r].id()] = dm[r];

      write_point(
          drifted, kicked, projected, [&](Vector values) { return solved(along(std::move(values))); }, k);
      write(L::m, solved(dm), k);
      write(L::w, solved(difference(dl, read(L::m, m_before_))), k);
      write(L::w_before, read(L::w, w_), k);
    }
  }

  // The point where the step ends, with its force; or part k of what `of` makes of it.
  template <class Of>
  void write_point(const Values& drifted, const Values& kicked, const Values& projected, const Of& of, int part = 0) {
    write(L::q, of(drifted.all(P::moved, n_)), part);
    write(L::p, of(projected.all(P::moved, n_)), part);
    write(L::q_low, of(drifted.all(P::moved_low, n_)), part);
    write(L::p_low, of(projected.all(P::moved_low, n_)), part);
    write(L::f, of(kicked.contains({P::force_after, 0}) ? kicked.all(P::force_after, n_) : f_), part);
  }

  // The step repeated; the same but for the guard, so that it gives the same bits.
  KernelSpec repeated() const {
    KernelSpec loop = spec_;
    loop.repeat = {.feedback = {}, .guard = guard_, .passes = L::wanted, .done = L::done};
    for (std::size_t s = 0; s < loop.stores.size(); ++s) {
      for (std::size_t k = 0; k < loop.loads.size(); ++k) {
        const auto& store = loop.stores[s];
        const auto& load = loop.loads[k];
        if (store.vector == load.vector && store.at(0) == load.at(0))
          loop.repeat->feedback.push_back({static_cast<int>(s), static_cast<int>(k)});
      }
    }
    return loop;
  }

  std::size_t nodes() const {
    Vector values;
    for (const auto& store : spec_.stores) values.push_back(store.value);
    return reachable(values).size();
  }

  static Vector difference(Vector a, const Vector& b) {
    for (std::size_t r = 0; r < a.size(); ++r) a[r] = a[r] - b[r];
    return a;
  }

  Vector unknowns(const char* name) {
    Vector symbols;
    for (std::size_t r = 0; r < rows_; ++r) symbols.push_back(graph_.new_symbol(name, SymbolKind::local));
    return symbols;
  }

  // Symbols for the entries of a vector that the kernel reads.
  Vector read(int vector, std::int64_t count) {
    Vector symbols;
    for (std::int64_t k = 0; k < count; ++k) symbols.push_back(places_.symbol(vector, IndexMap::fixed(k)));
    return symbols;
  }

  // Where part k of an entry is.
  IndexMap number(std::int64_t entry, int part) const { return IndexMap::fixed(place_size_ * entry + part); }

  void write(int vector, const Vector& values, int part = 0, KernelSpec::Mode mode = KernelSpec::Mode::assign) {
    for (std::size_t k = 0; k < values.size(); ++k)
      spec_.stores.push_back({values[k], vector, number(static_cast<std::int64_t>(k), part), mode});
  }

  std::int64_t n_, m_;
  std::size_t rows_;
  int place_size_;
  const RattlePlan& plan_;
  const CouplingPlan& coupling_;
  std::vector<std::int64_t> free_;  // coordinates that no constraint uses: their overflow no residual would tell
  const Elements& elements_;
  Graph& graph_;
  Places places_;
  Vector q_ = read(L::q, n_), p_ = read(L::p, n_), q_low_ = read(L::q_low, n_), p_low_ = read(L::p_low, n_);
  Vector f_ = read(L::f, n_), m_before_ = read(L::m, m_), w_ = read(L::w, m_), w_before_ = read(L::w_before, m_);
  Vector scalar_ = read(L::scalars, L::kScalars);
  Vector l_, next_m_;
  Inputs end_;           // q and p where the step ends
  int evaluations_ = 0;  // beside it, and how many numbers they have written
  std::int64_t besides_ = 0;
  Expr guard_;
  KernelSpec spec_;
};

}  // namespace

std::optional<RattleLoopPlan> plan_rattle_loop(const Elements& elements, const RattlePlan& stages,
                                               const CouplingPlan& coupling, bool is_watched, int tangents,
                                               int place_size) {
  if (elements.m == 0 || !stages.is_composed()) return std::nullopt;
  // The eliminations alone take so many operations.
  if (elements.m * elements.m * elements.m > static_cast<std::int64_t>(kMaxNodes)) return std::nullopt;
  return LoopPlanner(elements, stages, coupling, place_size).plan(is_watched, tangents);
}

}  // namespace cotangent
