#include "cotangent/analyze/dirac/canonical.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_set>

#include "cotangent/analyze/dirac/elimination.hpp"
#include "cotangent/derivatives/derivatives.hpp"
#include "cotangent/elements/refusal.hpp"
#include "cotangent/expr/algorithm.hpp"

namespace cotangent {
namespace {

// The Legendre transformation of a Lagrangian.
class Transformation {
 public:
  explicit Transformation(Canonical& result) : result_(result), written_(*result.written), algebra_(*result.algebra) {
    for (const auto& c : written_.coordinates()) {
      q_.push_back(c.q);
      v_.push_back(c.v);
      p_.push_back(c.p);
      at_rest_[c.v.id()] = written_.graph().constant(0);
    }
    for (const Expr v : v_) is_velocity_.insert(v.id());
  }

  void operator()(Expr L) {
    L = algebra_.simplified(L);
    result_.velocities = v_.size();
    const ExprMatrix W = hessian(L);
    return is_quadratic(L, W) ? quadratic(L, W) : square_root(L);
  }

 private:
  bool moves(Expr e) const {
    return depends_on(e, [&](Expr x) { return is_velocity_.contains(x.id()); });
  }
  bool any_moves(const std::vector<Expr>& all) const {
    return std::any_of(all.begin(), all.end(), [&](Expr e) { return moves(e); });
  }
  Expr at_rest(Expr e) const { return algebra_.simplified(substitute(e, at_rest_)); }

  ExprMatrix hessian(Expr f) const {
    ExprMatrix result;
    for (const Expr df : gradient(f, v_)) {
      auto& row = result.emplace_back(gradient(df, v_));
      for (Expr& e : row) e = algebra_.simplified(e);
    }
    return result;
  }

  // L_v = W v + b. (W alone does not tell: that of |v| vanishes.)
  bool is_quadratic(Expr L, const ExprMatrix& W) const {
    const auto slope = gradient(L, v_);
    for (std::size_t i = 0; i < v_.size(); ++i) {
      Expr b = slope[i];
      for (std::size_t k = 0; k < v_.size(); ++k) b = b - W[i][k] * v_[k];
      if (any_moves(W[i]) || moves(algebra_.simplified(b))) return false;
    }
    return true;
  }

  // W y = pi: y, and constraints where W is singular. In (q, t) only, which need no surface.
  struct Inverse {
    std::vector<Expr> y;  // 0 where it is arbitrary
    int rank = 0;
  };
  Inverse solve(const ExprMatrix& W, const std::vector<Expr>& pi) {
    Graph& g = written_.graph();
    std::vector<Expr> all = q_, free{written_.t()};
    Surface everywhere(algebra_, all, result_.values, free, {}, W.front());
    ExprMatrix right;
    for (const Expr e : pi) right.push_back({e});
    // The right-hand side depends on momenta: it is no entry that a surface in (q, t) could judge.
    const Elimination e = eliminate(everywhere, W, identity_matrix(g, pi.size()));
    const auto combined = [&](std::size_t row) {
      Expr sum = g.constant(0);
      for (std::size_t k = 0; k < pi.size(); ++k) sum = sum + e.b[row][k] * pi[k];
      return algebra_.simplified(sum);
    };
    Inverse result{std::vector<Expr>(pi.size(), g.constant(0)), static_cast<int>(e.pivots.size())};
    for (const auto& [row, column] : e.pivots) result.y[column] = combined(row);
    for (std::size_t row = 0; row < pi.size(); ++row)
      if (!e.has_pivot(row)) result_.primaries.push_back({"", combined(row)});
    return result;
  }

  std::vector<Expr> shifted_momenta(Expr L) const {
    std::vector<Expr> pi = gradient(L, v_);
    for (std::size_t k = 0; k < pi.size(); ++k) pi[k] = p_[k] - at_rest(pi[k]);
    return pi;
  }

  void quadratic(Expr L, const ExprMatrix& W) {
    const Inverse v = solve(W, shifted_momenta(L));
    Replacement velocities;
    Expr pv = written_.graph().constant(0);
    for (std::size_t k = 0; k < v_.size(); ++k) {
      velocities[v_[k].id()] = v.y[k];
      pv = pv + p_[k] * v.y[k];
    }
    result_.H = algebra_.simplified(pv - substitute(L, velocities));
    result_.hessian_rank = v.rank;
  }

  void square_root(Expr L) {
    Graph& g = written_.graph();
    Expr root;
    for (const Expr e : reachable(std::array{L}))
      if (e.op() == Op::sqrt && moves(e)) root = root.valid() ? g.constant(0) : e;
    if (!root.valid() || root.is_constant()) refuse();
    const Expr s = g.new_symbol("s", SymbolKind::local);
    const Expr linear = substitute(L, {{root.id(), s}});
    const Expr c = algebra_.simplified(gradient(linear, std::array{s})[0]);
    const Expr rest = substitute(linear, {{s.id(), g.constant(0)}});
    const Expr radicand = root.arg(0), a = at_rest(radicand);
    ExprMatrix W = hessian(radicand);
    const auto is_zero = [](const std::vector<Expr>& row) {
      return std::all_of(row.begin(), row.end(), [](Expr e) { return e.is_constant(0); });
    };
    const ExprMatrix rest_hessian = hessian(rest);
    std::vector<Expr> slope = gradient(radicand, v_);
    for (Expr& e : slope) e = at_rest(e);
    if (moves(c) || depends_on(c, [&](Expr x) { return x == s; }) || !is_zero(slope) ||
        !std::all_of(rest_hessian.begin(), rest_hessian.end(), is_zero) ||
        std::any_of(W.begin(), W.end(), [&](const auto& row) { return any_moves(row); }))
      refuse();
    for (auto& row : W)
      for (Expr& e : row) e = algebra_.simplified(e / 2.0);
    const std::vector<Expr> pi = shifted_momenta(rest);
    const Inverse y = solve(W, pi);
    Expr X = g.constant(0);
    for (std::size_t k = 0; k < pi.size(); ++k) X = X + pi[k] * y.y[k];
    const Expr V = algebra_.simplified(-at_rest(rest)), c2 = c * c;
    if (a.is_constant(0)) {
      result_.H = V;
      result_.primaries.push_back({"", algebra_.simplified(X - c2)});
      result_.hessian_rank = y.rank - 1;
    } else {
      result_.H = algebra_.simplified(V - c * a * sqrt(algebra_.simplified((c2 - X) / (c2 * a))));
      result_.hessian_rank = y.rank;
    }
  }

  [[noreturn]] void refuse() const {
    throw refusal(
        written_.model(), written_.model().energy_where,
        "the Legendre transformation of this Lagrangian is not algorithmic: it is neither at most quadratic in "
        "the velocities nor c*sqrt(quadratic form) with terms linear in them",
        "state the system by its hamiltonian and [primary_constraints]");
  }

  Canonical& result_;
  WrittenOut& written_;
  Algebra& algebra_;
  std::vector<Expr> q_, v_, p_;
  Replacement at_rest_;
  std::unordered_set<NodeId> is_velocity_;
};

void add_multipliers(Canonical& result) {
  WrittenOut& written = *result.written;
  for (const Constraint& constraint : written.model().constraints) {
    const auto rows = written.all(constraint);
    const auto lambdas = written.multipliers(constraint);
    for (std::size_t k = 0; k < rows.size(); ++k) {
      const std::string name = "lambda_" + rows[k].name;
      result.names.push_back(name);
      result.q.push_back(lambdas[k]);
      result.p.push_back(written.graph().new_symbol("p_" + name, SymbolKind::momentum));
      result.H = result.H + lambdas[k] * rows[k].value;
      result.primaries.push_back({"", result.p.back()});
    }
  }
}

// What [initial] tells, as far as it tells it. Velocities tell momenta where L_v = p can be evaluated.
void read_initial_values(Canonical& result, Expr L) {
  WrittenOut& written = *result.written;
  SymbolValues known = result.values;
  const Model& model = written.model();
  known[written.t().id()] = model.start;
  written.each(model.initial, [&](Expr target, Expr value) {
    const auto nodes = reachable(std::array{value});
    if (std::all_of(nodes.begin(), nodes.end(), [&](Expr e) { return e.op() != Op::symbol || known.contains(e.id()); }))
      known[target.id()] = Evaluation({value})(known)[0].value;
  });
  const auto evaluate = [&](Expr target, Expr value) {
    const auto nodes = reachable(std::array{value});
    if (known.contains(target.id()) || !std::all_of(nodes.begin(), nodes.end(), [&](Expr e) {
          return e.op() != Op::symbol || known.contains(e.id());
        }))
      return;
    const Sized number = Evaluation({value})(known)[0];
    if (number.is_finite()) known[target.id()] = number.value;
  };
  std::vector<Expr> v;
  for (const auto& c : written.coordinates()) v.push_back(c.v);
  if (L.valid()) {
    const auto p = gradient(L, v);
    for (std::size_t k = 0; k < v.size(); ++k) evaluate(written.coordinates()[k].p, p[k]);
  }
  for (const Expr z : result.z())
    if (const auto at = known.find(z.id()); at != known.end()) result.initial.insert(*at);
  result.initial[written.t().id()] = model.start;
}

}  // namespace

std::vector<Expr> Canonical::z() const {
  std::vector<Expr> all = q;
  all.insert(all.end(), p.begin(), p.end());
  return all;
}

Canonical canonical_form(const Model& model) {
  if (model.dynamics == Dynamics::equations)
    throw refusal(model, {},
                  "the system is stated by equations: Dirac's algorithm begins with a Hamiltonian or a Lagrangian");
  if (model.functions) throw refusal(model, {}, "H and g are functions without expressions, which cannot be analysed");
  Canonical result;
  if (!model.forces.empty() || model.dissipation.valid() || !model.states.empty())
    result.notes.emplace_back(
        "[forces], dissipation and states are left out: the algorithm is about H and constraints");
  result.written = std::make_shared<WrittenOut>(model);
  result.algebra = std::make_shared<Algebra>(result.written->graph());
  WrittenOut& written = *result.written;
  for (const auto& c : written.coordinates()) {
    result.names.push_back(c.name);
    result.q.push_back(c.q);
    result.p.push_back(c.p);
  }
  const Expr energy = written(model.energy);
  std::vector<Canonical::Primary> stated;
  for (const auto& family : model.primary_constraints)
    for (const auto& [name, value] : written.all(family)) stated.push_back({name, value});
  for (const auto& constraint : model.constraints) static_cast<void>(written.multipliers(constraint));
  for (const auto& family : model.gauge)
    for (const auto& [name, value] : written.all(family)) result.gauge.push_back({name, value});
  const auto take_parameters = [&] {
    for (const auto& parameter : written.parameters()) result.values[parameter.symbol.id()] = parameter.value;
  };
  take_parameters();
  if (model.dynamics == Dynamics::lagrangian) {
    Transformation{result}(energy);
  } else {
    result.H = energy;
  }
  result.primaries.insert(result.primaries.end(), stated.begin(), stated.end());
  add_multipliers(result);
  take_parameters();
  read_initial_values(result, model.dynamics == Dynamics::lagrangian ? energy : Expr());
  return result;
}

}  // namespace cotangent
