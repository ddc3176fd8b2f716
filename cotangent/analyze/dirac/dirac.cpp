#include "cotangent/analyze/dirac/dirac.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "cotangent/analyze/dirac/printed.hpp"
#include "cotangent/analyze/dirac/rounded_sum.hpp"
#include "cotangent/base/scalar.hpp"
#include "cotangent/derivatives/derivatives.hpp"
#include "cotangent/derivatives/partials.hpp"
#include "cotangent/expr/algorithm.hpp"

namespace cotangent {
namespace {

bool depends_on_any(Expr e, const std::vector<Expr>& symbols) {
  return depends_on(e, [&](Expr x) { return std::find(symbols.begin(), symbols.end(), x) != symbols.end(); });
}

// The terms of a sum.
void append_terms(Expr e, std::vector<Expr>& terms) {
  if (e.op() != Op::add) return terms.push_back(e);
  append_terms(e.arg(0), terms);
  append_terms(e.arg(1), terms);
}

}  // namespace

DiracAlgorithm::DiracAlgorithm(const Model& model, const volatile std::sig_atomic_t* stop)
    : canonical_(canonical_form(model)),
      surface_(*canonical_.algebra, canonical_.z(), canonical_.values, {canonical_.written->t()}, canonical_.initial,
               {canonical_.H}) {
  canonical_.algebra->stop_if(stop);
  notes_ = canonical_.notes;
  if (surface_.points().empty())
    throw Undecided("no points were found at which the Hamiltonian is finite: give some in [initial]");
  try {
    run();
  } catch (const Undecided& reason) {
    undecided_ = reason.what();
  }
}

void DiracAlgorithm::run() {
  add_primaries();
  follow_consistency();
  if (!is_consistent_) return;
  classify();
  count_degrees_of_freedom();
  first_class_before_gauge_ = first_class();
  if (has_gauge()) add_gauge_conditions();
}

Expr DiracAlgorithm::poisson_bracket(Expr f, Expr g) {
  const auto &df = surface_.gradient(f), &dg = surface_.gradient(g);
  const std::size_t n = canonical_.q.size();
  RoundedSum sum(f.graph().constant(0));
  for (std::size_t k = 0; k < n; ++k) (sum += df[k] * dg[n + k]) -= df[n + k] * dg[k];
  return sum.value();
}

Expr DiracAlgorithm::rate(Expr chi) {
  return poisson_bracket(chi, canonical_.H) + gradient(chi, std::array{canonical_.written->t()})[0];
}

std::string DiracAlgorithm::next_name() { return fmt::format("phi_{}", constraints_.size() + 1); }

void DiracAlgorithm::add_primaries() {
  Graph& graph = canonical_.written->graph();
  for (const auto& [given, value] : canonical_.primaries) {
    const std::string name = given.empty() ? next_name() : given;
    if (!constraints_.empty() && surface_.is_zero(value)) {
      notes_.push_back(
          fmt::format("the primary constraint {} = 0 follows from those before it and is left out", printed(value)));
      continue;
    }
    if (!add_given({.name = name, .value = value})) continue;
    if (!is_consistent_) return;
    primaries_.push_back(constraints_.back().value);
    multipliers_.push_back({.symbol = graph.new_symbol("u_" + name, SymbolKind::multiplier), .constraint = name});
  }
}

void DiracAlgorithm::no_point(Expr condition) const {
  throw Undecided(
      fmt::format("no point of the constraint surface was found with {} = 0; the smallest relative size found "
                  "is {:.1g}. A point near it in [initial] helps, if there is one",
                  printed(condition), static_cast<double>(surface_.least_found())));
}

// @return false if it follows from those before it on the branch of the surface where it can hold: then it is left out.
// Of q x p = 0 in space two components are enough.
bool DiracAlgorithm::add(DiracConstraint constraint) {
  if (!depends_on_any(surface_.simplified(constraint.value), surface_.z())) {
    constraint.consistency = Consistency::contradiction;
    constraint.outcome = "contradicts those before it";
    is_consistent_ = false;
    constraints_.push_back(std::move(constraint));
    return true;
  }
  if (!surface_.add(constraint.value)) {
    constraint.outcome = "no point was found that satisfies it together with those before it";
    constraints_.push_back(std::move(constraint));
    no_point(constraints_.back().value);
  }
  constraints_.push_back(std::move(constraint));
  keep_irreducible(constraints_.back().value);
  std::vector<Expr> all;
  for (const auto& chi : constraints_) all.push_back(chi.value);
  if (surface_.rank_of_gradients(all) == static_cast<int>(all.size())) return true;
  if (!surface_.drop_last_if_it_follows())
    throw Undecided(
        fmt::format("the constraint {} = 0 is not effective: its gradient depends on those of the "
                    "constraints before it on the surface; state it by a function with a gradient",
                    printed(constraints_.back().value)));
  notes_.push_back(
      fmt::format("{} = 0 follows from the constraints before it on a branch of their surface, which is followed",
                  printed(constraints_.back().value)));
  constraints_.pop_back();
  return false;
}

// Irreducible ones, without those of numbers and parameters.
std::vector<Factor> DiracAlgorithm::factors_of(Expr whole) const {
  std::vector<Factor> factors = canonical_.algebra->factors(whole);
  std::erase_if(factors, [&](const Factor& factor) { return !depends_on_any(factor.base, surface_.z()); });
  return factors;
}

// Of a power, which has no gradient; and of a product whose factors vanish together, which is no manifold there.
std::optional<DiracAlgorithm::Branch> DiracAlgorithm::branch_of(Expr whole,
                                                                std::optional<std::size_t> instead_of) const {
  const std::vector<Factor> factors = factors_of(whole);
  std::vector<Expr> bases;
  for (const Factor& factor : factors) bases.push_back(factor.base);
  const bool is_power = factors.size() == 1 && factors[0].exponent > 1;
  if (!is_power && !(factors.size() > 1 && surface_.could_add(bases, instead_of))) return std::nullopt;
  return choose_branch(whole, factors, instead_of);
}

// What a model states may be neither irreducible nor effective.
bool DiracAlgorithm::add_given(DiracConstraint constraint) {
  if (auto branch = branch_of(surface_.simplified(constraint.value))) {
    constraint.value = branch->value;
    constraint.has_branches = branch->has_others;
    constraint.remark = std::move(branch->remark);
  }
  return add(std::move(constraint));
}

// A constraint may be a product, or a power, where the last one holds: x p_y - y p_x is x p_y at y = 0.
void DiracAlgorithm::keep_irreducible(Expr last) {
  for (std::size_t i = 0; i + 1 < constraints_.size(); ++i) {
    DiracConstraint& chi = constraints_[i];
    const Expr whole = canonical_.algebra->reduced(chi.value, std::array{last});
    if (whole == canonical_.algebra->simplified(chi.value)) continue;
    const auto branch = branch_of(whole, i);
    if (!branch) continue;
    if (!surface_.replace(i, branch->value)) no_point(branch->value);
    chi.value = branch->value;
    chi.has_branches |= branch->has_others;
    chi.remark += fmt::format("{}with {} = 0 {}", chi.remark.empty() ? "" : "; ", printed(last), branch->remark);
  }
}

void DiracAlgorithm::follow_consistency() {
  while (is_consistent_ && make_pass()) {
  }
}

// @return whether new constraints were found.
bool DiracAlgorithm::make_pass() {
  is_on_another_branch_ = false;
  ExprMatrix a, b;
  for (const auto& chi : constraints_) {
    auto& row = a.emplace_back();
    for (const Expr phi : primaries_) row.push_back(poisson_bracket(chi.value, phi));
    b.push_back({rate(chi.value)});
  }
  const std::size_t count = constraints_.size();
  const Elimination e = eliminate(surface_, std::move(a), std::move(b));
  for (const auto& [row, column] : e.pivots) {
    constraints_[row].consistency = Consistency::multiplier;
    constraints_[row].outcome = "determines " + printed(multipliers_[column].symbol);
  }
  for (std::size_t row = 0; row < count && is_consistent_; ++row) {
    if (e.has_pivot(row)) continue;
    const Expr condition = e.b[row][0];
    if (!surface_.is_zero(condition)) {
      take_condition(row, condition);
    } else if (constraints_[row].consistency != Consistency::new_constraint) {
      constraints_[row].consistency = Consistency::satisfied;
      constraints_[row].outcome = "holds on the surface";
    }
  }
  if (is_on_another_branch_) return true;
  if (constraints_.size() == count && is_consistent_) settle_multipliers(e);
  return constraints_.size() > count;
}

// The shortest factor that leaves the initial values as they are, or the shortest.
DiracAlgorithm::Branch DiracAlgorithm::choose_branch(Expr whole, const std::vector<Factor>& factors,
                                                     std::optional<std::size_t> instead_of) const {
  std::vector<Factor> possible;
  for (const Factor& factor : factors)
    if (surface_.could_add(std::array{factor.base}, instead_of)) possible.push_back(factor);
  if (possible.empty()) no_point(whole);
  const auto key = [&](const Factor& factor) {
    return std::pair{!surface_.meets_start(factor.base, instead_of), printed(factor.base).size()};
  };
  const Factor chosen = possible.size() == 1
                            ? possible[0]
                            : *std::min_element(possible.begin(), possible.end(),
                                                [&](const Factor& x, const Factor& y) { return key(x) < key(y); });
  Branch branch{.value = chosen.base, .remark = {}, .has_others = possible.size() > 1};
  if (factors.size() > 1 || chosen.exponent > 1)
    branch.remark = fmt::format("{} = 0 is replaced by {} = 0", printed(whole), printed(chosen.base));
  for (const Factor& other : possible)
    if (!(other.base == chosen.base)) branch.remark += fmt::format("; {} = 0 is another branch", printed(other.base));
  return branch;
}

// New constraints that make a condition hold: an irreducible factor of it, effective, with points.
void DiracAlgorithm::take_condition(std::size_t parent, Expr condition) {
  const Expr whole = surface_.simplified(condition);
  std::vector<Factor> factors = factors_of(whole);
  // H has no gradient where a root of its vanishes: other factors come first, and alone it means its square.
  const auto is_root = [](const Factor& factor) { return factor.base.op() == Op::sqrt; };
  if (!std::all_of(factors.begin(), factors.end(), is_root)) std::erase_if(factors, is_root);
  for (Factor& factor : factors)
    if (is_root(factor)) factor.base = factor.base.arg(0);
  const auto contradict = [&] {
    constraints_[parent].consistency = Consistency::contradiction;
    constraints_[parent].outcome = fmt::format("would need {} = 0, which cannot hold", printed(whole));
    is_consistent_ = false;
  };
  if (factors.empty()) return contradict();
  if (const auto value = surface_.constant_value(whole); value && !surface_.could_add(std::array{whole})) {
    contradict();
    constraints_[parent].outcome += fmt::format(": it is {:.6g} on the surface", static_cast<double>(*value));
    return;
  }
  if (factors.size() == 1) {
    std::vector<Expr> terms;
    append_terms(factors[0].base, terms);
    const auto is_positive = [](Expr term) { return term.is_constant() && term.value() > 0; };
    const bool is_sum = std::all_of(terms.begin(), terms.end(),
                                    [&](Expr term) { return is_positive(term) || is_sum_of_squares(term); });
    if (is_sum && std::any_of(terms.begin(), terms.end(), is_positive)) return contradict();
    if (is_sum && terms.size() > 1) {
      for (const Expr term : terms)
        if (is_consistent_ && !surface_.is_zero(term)) take_condition(parent, term);
      constraints_.back().remark = fmt::format("{} = 0 means that every square vanishes", printed(whole));
      return;
    }
  }

  auto [value, remark, has_others] = choose_branch(whole, factors);
  const DiracConstraint before = constraints_[parent];
  DiracConstraint& from = constraints_[parent];
  DiracConstraint found{.name = next_name(), .value = value};
  from.outcome =
      from.consistency == Consistency::new_constraint ? from.outcome + ", " + found.name : "gives " + found.name;
  from.consistency = Consistency::new_constraint;
  found.generation = from.generation + 1;
  found.parent = from.name;
  found.is_gauge = from.is_gauge;
  found.remark = std::move(remark);
  found.has_branches = has_others;
  if (add(std::move(found))) return;
  constraints_[parent] = before;
  is_on_another_branch_ = true;
}

// u_c = -(b + sum of a_f u_f) with the free ones u_f.
void DiracAlgorithm::settle_multipliers(const Elimination& e) {
  for (auto& multiplier : multipliers_) multiplier.value = Expr();
  for (const auto& [row, column] : e.pivots) {
    Expr sum = e.b[row][0];
    for (std::size_t k = 0; k < multipliers_.size(); ++k)
      if (k != column) sum = sum + e.a[row][k] * multipliers_[k].symbol;
    multipliers_[column].value = surface_.simplified(-sum);
  }
}

int DiracAlgorithm::first_class() const {
  return static_cast<int>(
      std::count_if(constraints_.begin(), constraints_.end(), [](const auto& chi) { return chi.is_first_class; }));
}

int DiracAlgorithm::free_multipliers() const {
  return static_cast<int>(
      std::count_if(multipliers_.begin(), multipliers_.end(), [](const auto& u) { return !u.value.valid(); }));
}

void DiracAlgorithm::classify() {
  Graph& graph = canonical_.written->graph();
  const std::size_t N = constraints_.size();
  matrix_.assign(N, std::vector<Expr>(N, graph.constant(0)));
  for (std::size_t i = 0; i < N; ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const Expr bracket = surface_.simplified(poisson_bracket(constraints_[i].value, constraints_[j].value));
      matrix_[i][j] = surface_.is_zero(bracket) ? graph.constant(0) : bracket;
      matrix_[j][i] = -matrix_[i][j];
    }
  const int rank = surface_.rank(matrix_);
  second_class_.clear();
  inverse_.clear();
  for (DiracConstraint& chi : constraints_) chi.is_first_class = false;
  if (rank == static_cast<int>(N)) {
    for (std::size_t i = 0; i < N; ++i) second_class_.push_back(i);
    return;
  }
  const Elimination e = eliminate(surface_, matrix_, identity_matrix(graph, N));
  if (static_cast<int>(e.pivots.size()) != rank)
    throw Undecided("the rank of the matrix of brackets differs between symbols and values");
  for (std::size_t i = 0; i < N; ++i) {
    DiracConstraint& chi = constraints_[i];
    chi.is_first_class = !e.has_pivot(i);
    chi.combination = Expr();
    if (!chi.is_first_class) {
      second_class_.push_back(i);
      continue;
    }
    Expr sum = graph.constant(0);
    for (std::size_t k = 0; k < N; ++k) sum = sum + e.b[i][k] * constraints_[k].value;
    chi.combination = canonical_.algebra->simplified(sum);
  }
}

void DiracAlgorithm::count_degrees_of_freedom() {
  find_gauge_transformations();
  const int F = first_class(), n = static_cast<int>(canonical_.q.size());
  std::vector<Expr> generators;
  for (const auto& transformation : transformations_)
    generators.insert(generators.end(), transformation.chain.begin(), transformation.chain.end());
  const int generated = F == 0 ? 0 : surface_.rank_of_gradients(generators);
  degrees_of_freedom_ = n - F - second_class() / 2;
  if (generated >= F) return;
  degrees_of_freedom_.reset();
  notes_.push_back(fmt::format(
      "{} first-class constraints, but only {} independent gauge transformations: the others generate none, against "
      "Dirac's conjecture, and the number of degrees of freedom depends on whether they are taken as generators",
      F, generated));
}

Expr DiracAlgorithm::first_class_hamiltonian() {
  Graph& graph = canonical_.written->graph();
  Replacement none;
  for (const auto& u : multipliers_) none[u.symbol.id()] = graph.constant(0);
  Expr H = canonical_.H;
  for (std::size_t a = 0; a < primaries_.size(); ++a)
    if (multipliers_[a].value.valid()) H = H + substitute(multipliers_[a].value, none) * primaries_[a];
  return canonical_.algebra->simplified(H);
}

// a with df = sum of a_k dg_k on the surface, for an f that depends on the g.
std::vector<Expr> DiracAlgorithm::combination(Expr f, const std::vector<Expr>& g) {
  Graph& graph = f.graph();
  ExprMatrix rows;
  for (const Expr e : g) rows.push_back(surface_.gradient(e));
  rows.push_back(surface_.gradient(f));
  const Elimination e = eliminate(surface_, std::move(rows), identity_matrix(graph, g.size() + 1));
  std::vector<Expr> a;
  for (std::size_t k = 0; k < g.size(); ++k) a.push_back(-e.b[g.size()][k]);
  return a;
}

// A chain ends where D^r phi depends on what is known already; what it depends on is taken out of its links, so that
// {G_0, H_T} is a combination of primary constraints. There are no more than N independent ones, and so r <= N.
void DiracAlgorithm::find_gauge_transformations() {
  Graph& graph = canonical_.written->graph();
  const Expr H = first_class_hamiltonian();
  std::vector<Expr> primary;  // first class
  for (const auto& free : multipliers_) {
    if (free.value.valid()) continue;
    Expr phi = graph.constant(0);
    for (std::size_t a = 0; a < primaries_.size(); ++a) {
      const auto& u = multipliers_[a];
      const Expr weight = u.value.valid() ? gradient(u.value, std::array{free.symbol})[0]
                                          : graph.constant(u.symbol == free.symbol ? 1 : 0);
      phi = phi + weight * primaries_[a];
    }
    primary.push_back(canonical_.algebra->simplified(phi));
  }
  const auto D = [&](Expr G) {  // -{G, H} - G_t
    return canonical_.algebra->simplified(
        -(poisson_bracket(G, H) + gradient(G, std::array{canonical_.written->t()})[0]));
  };
  const auto follows = [&](Expr G, std::vector<Expr> from) {
    const int rank = surface_.rank_of_gradients(from);
    from.push_back(G);
    return surface_.rank_of_gradients(from) == rank;
  };
  const std::size_t P = primary.size();
  std::vector<std::vector<Expr>> powers{primary};  // powers[j][b] = D^j phi_b
  for (const Expr phi : primary) {
    GaugeTransformation transformation{.parameter = fmt::format("epsilon_{}", transformations_.size() + 1)};
    // D^r phi = sum of a_jb D^j phi_b over j < r, on the surface to first order.
    std::size_t r = 1;
    Expr next = D(phi);
    std::vector<Expr> known = primary;
    while (!follows(next, known)) {
      if (powers.size() == r) {
        auto& row = powers.emplace_back();
        for (const Expr before : powers[r - 1]) row.push_back(D(before));
      }
      known.insert(known.end(), powers[r].begin(), powers[r].end());
      next = D(next);
      ++r;
    }
    // The same as sum of D^j (a_jb phi_b): D is a derivation.
    std::vector<Expr> a = r == 1 ? std::vector<Expr>{} : combination(next, known);
    for (std::size_t j = r; --j > 0;)
      for (std::size_t b = 0; b < P; ++b) {
        Expr derivative = a[j * P + b];
        double binomial = 1;
        for (std::size_t i = j; --i > 0;) {
          derivative = D(derivative);
          binomial *= static_cast<double>(i + 1) / static_cast<double>(j - i);
          a[i * P + b] = a[i * P + b] - binomial * derivative;
        }
      }
    Expr G = phi;
    transformation.chain.push_back(G);
    for (std::size_t j = r; --j > 0;) {
      G = D(G);
      for (std::size_t b = 0; b < P; ++b) G = G - a[j * P + b] * primary[b];
      G = canonical_.algebra->simplified(G);
      transformation.chain.push_back(G);
    }
    transformation.is_closed = std::all_of(transformation.chain.begin(), transformation.chain.end(), [&](Expr link) {
      return std::all_of(primary.begin(), primary.end(),
                         [&](Expr other) { return follows(poisson_bracket(link, other), primary); });
    });
    transformations_.push_back(std::move(transformation));
  }
  const auto& q = canonical_.q;
  for (auto& [parameter, chain, is_closed, changes] : transformations_)
    for (std::size_t k = 0; k < q.size(); ++k) {
      Expr change = graph.constant(0);
      for (std::size_t j = 0; j < chain.size(); ++j) {
        const std::string name = parameter + std::string(chain.size() - 1 - j, '\'');
        change = change + canonical_.algebra->simplified(poisson_bracket(q[k], chain[j])) *
                              graph.new_symbol(name, SymbolKind::local);
      }
      if (!change.is_constant(0)) changes.emplace_back(canonical_.names[k], change);
    }
}

void DiracAlgorithm::add_gauge_conditions() {
  const auto before = degrees_of_freedom_;
  for (const auto& [name, value] : canonical_.gauge) {
    if (surface_.is_zero(value)) {
      notes_.push_back(
          fmt::format("the gauge condition {} holds on the constraint surface already: it fixes nothing", name));
      continue;
    }
    add_given({.name = name, .value = value, .is_gauge = true});
    if (!is_consistent_) break;
  }
  follow_consistency();
  if (!is_consistent_) {
    call_inadmissible("they contradict the equations of motion");
    return;
  }
  classify();
  const int left = first_class(), n = static_cast<int>(canonical_.q.size());
  if (left > 0)
    notes_.push_back(
        fmt::format("the gauge is not fixed: {} of {} first-class constraints are left, and {} multipliers "
                    "are free; add gauge conditions whose brackets with these do not vanish",
                    left, first_class_before_gauge_, free_multipliers()));
  degrees_of_freedom_ = n - left - second_class() / 2;
  if (before && *degrees_of_freedom_ < *before)
    call_inadmissible(fmt::format("they leave {} of {} degrees of freedom, so they restrict the motion itself",
                                  *degrees_of_freedom_, *before));
}

// What one branch of the surface does not admit another one may: at x = y = 0 no y = 0 fixes a rotation.
void DiracAlgorithm::call_inadmissible(const std::string& reason) {
  const bool has_branches =
      std::any_of(constraints_.begin(), constraints_.end(), [](const auto& chi) { return chi.has_branches; });
  notes_.push_back(fmt::format("the gauge conditions are inadmissible{}: {}{}",
                               has_branches ? " on the branch that is followed" : "", reason,
                               has_branches ? "; values in [initial] choose another one" : ""));
}

const ExprMatrix& DiracAlgorithm::inverse() {
  if (!inverse_.empty()) return inverse_;
  Graph& graph = canonical_.written->graph();
  const std::size_t r = second_class_.size();
  ExprMatrix C(r, std::vector<Expr>(r));
  for (std::size_t i = 0; i < r; ++i)
    for (std::size_t j = 0; j < r; ++j) C[i][j] = matrix_[second_class_[i]][second_class_[j]];
  Elimination e = eliminate(surface_, std::move(C), identity_matrix(graph, r));
  inverse_.assign(r, {});
  for (const auto& [row, column] : e.pivots) inverse_[column] = std::move(e.b[row]);
  return inverse_;
}

}  // namespace cotangent
