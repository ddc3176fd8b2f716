#include "cotangent/analyze/algebra/algebra.hpp"

#include <quadmath.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <unordered_set>

#include "cotangent/analyze/algebra/polynomial.hpp"
#include "cotangent/base/check.hpp"
#include "cotangent/base/scalar.hpp"
#include "cotangent/expr/algorithm.hpp"

namespace cotangent {
namespace {

bool is_integer(Expr e) {
  constexpr Quad kLargest = 64;
  return e.is_constant() && floorq(e.value()) == e.value() && fabsq(e.value()) <= kLargest;
}

bool is_half_integer(Expr e) { return is_integer(e + e) && !is_integer(e); }

// Of a number that was computed, 1 - 1/3: quotients of such integers are much farther from each other than rounding
// errors.
std::optional<SmallFraction> rational(Quad value) { return small_fraction(value, 16 * epsilon<Quad>()); }

bool is_polynomial_operation(Expr e) {
  switch (e.op()) {
    case Op::add:
    case Op::mul:
    case Op::div:
      return true;
    case Op::constant:
      return rational(e.value()).has_value();
    case Op::pow:
      return is_integer(e.arg(1));
    default:
      return false;
  }
}

// Generators in the order of elimination: momenta first, parameters last.
int rank_of(Expr atom) {
  if (atom.op() == Op::sqrt) return 5;  // below what is under the root
  if (atom.op() != Op::symbol) return atom.is_constant() ? 6 : 3;
  switch (atom.symbol().kind) {
    case SymbolKind::momentum:
      return 0;
    case SymbolKind::multiplier:
      return 1;
    case SymbolKind::velocity:
      return 2;
    case SymbolKind::time:
      return 5;
    case SymbolKind::parameter:
      return 6;
    default:
      return 4;
  }
}

bool starts_with_minus(Expr e) {
  while (e.op() == Op::add || e.op() == Op::div) e = e.arg(0);
  if (e.op() == Op::mul) e = e.arg(0);
  return e.is_constant() && e.value() < 0;
}

// A^2 for the square of a function A of one argument, in terms of other atoms; not valid() if it has no relation.
Expr square_of(Expr atom) {
  if (!is_unary_function(atom.op())) return {};
  const Expr A = atom.arg(0);
  Graph& g = atom.graph();
  switch (atom.op()) {
    case Op::sqrt:
      return A;
    case Op::abs:
      return pow(A, 2.0);
    case Op::sin:
      return 1.0 - pow(cos(A), 2.0);
    case Op::cosh:
      return 1.0 + pow(g.apply(Op::sinh, A), 2.0);
    default:
      return {};
  }
}

}  // namespace

// Expressions as fractions of polynomials in their atoms, and back.
class Conversion {
 public:
  Conversion(Algebra& algebra, std::span<const Expr> expressions)
      : algebra_(algebra), budget_(std::min(Algebra::kCost, algebra.left_)), granted_(budget_) {
    for (const Expr e : expressions) collect(e);
    std::stable_sort(atoms_.begin(), atoms_.end(), [](Expr a, Expr b) {
      return std::pair{rank_of(a), a.id()} < std::pair{rank_of(b), b.id()};
    });
    for (std::size_t k = 0; k < atoms_.size(); ++k) number_[atoms_[k].id()] = k;
    ring_ = std::make_unique<PolynomialRing>(std::max<std::size_t>(atoms_.size(), 1), budget_);
  }

  ~Conversion() { algebra_.left_ -= granted_ - std::max<slong>(budget_, 0); }
  Conversion(const Conversion&) = delete;
  Conversion& operator=(const Conversion&) = delete;

  Fraction to_fraction(Expr e) {
    for (const Expr node : reachable(std::array{e}))
      if (!known_.contains(node.id()) && needed_.contains(node.id())) known_.emplace(node.id(), convert(node));
    return lowered(known_.at(e.id()));
  }

  Expr to_expr(const Fraction& f) {
    const Polynomial one(*ring_, 1);
    if (f.den.terms() > 1) return to_expr(f.num, one) / to_expr(f.den, one);
    return to_expr(f.num, f.den);
  }
  Expr to_expr(const Polynomial& a) { return to_expr(a, Polynomial(*ring_, 1)); }

  const PolynomialRing& ring() const { return *ring_; }

  // Whether it is made of numbers and parameters.
  bool is_parametric(const Polynomial& a) const {
    for (std::size_t k = 0; k < atoms_.size(); ++k)
      if (rank_of(atoms_[k]) < 6 && a.degree(k) > 0) return false;
    return true;
  }

  // a modulo the ideal of divisors, up to a factor of parameters; a where there are none.
  Fraction remainder(const Polynomial& a, const std::vector<Polynomial>& divisors) const {
    Polynomial rest = a, scale(*ring_, 1);
    bool changed = true;
    while (changed) {
      changed = false;
      for (const Polynomial& divisor : divisors) changed = lower(rest, scale, divisor) || changed;
    }
    return {rest, scale};
  }

  // A.num - s^2 A.den for every root s = sqrt(A).
  std::vector<Polynomial> squares_of_roots() {
    std::vector<Polynomial> result;
    for (std::size_t k = 0; k < atoms_.size(); ++k) {
      if (atoms_[k].op() != Op::sqrt) continue;
      const Fraction A = lowered(fraction_of(atoms_[k].arg(0)));
      const Polynomial s = Polynomial::generator(*ring_, k);
      result.push_back(A.num - s * s * A.den);
    }
    return result;
  }

 private:
  void collect(Expr e) {
    std::vector<Expr> stack{e};
    while (!stack.empty()) {
      const Expr top = stack.back();
      stack.pop_back();
      if (!needed_.insert(top.id()).second) continue;
      if (is_polynomial_operation(top)) {
        const int arity = top.op() == Op::pow ? 1 : top.arity();
        for (int k = 0; k < arity; ++k) stack.push_back(top.arg(k));
        continue;
      }
      const Expr form = algebra_.atom(top);
      atom_form_[top.id()] = form;
      if (!(form == top)) {
        stack.push_back(form);
        continue;
      }
      atoms_.push_back(top);
      if (const Expr square = square_of(top); square.valid()) stack.push_back(square);
    }
  }

  Fraction convert(Expr e) {
    const auto arg = [&](int k) -> const Fraction& { return fraction_of(e.arg(k)); };
    if (const auto form = atom_form_.find(e.id()); form != atom_form_.end()) {
      if (!(form->second == e)) return fraction_of(form->second);
      return Fraction(Polynomial::generator(*ring_, number_.at(e.id())));
    }
    switch (e.op()) {
      case Op::constant: {
        const auto f = *rational(e.value());
        return {Polynomial(*ring_, f.numerator), Polynomial(*ring_, f.denominator)};
      }
      case Op::add:
        return arg(0) + arg(1);
      case Op::mul:
        return arg(0) * arg(1);
      case Op::div:
        return divide(arg(0), arg(1));
      case Op::pow: {
        const auto k = static_cast<slong>(e.arg(1).value());
        const auto size = static_cast<ulong>(std::abs(k));
        const Fraction base = lowered(arg(0));
        const Polynomial num = power(base.num, size), den = power(base.den, size);
        return k > 0 ? Fraction(num, den) : divide(Fraction(den), Fraction(num));
      }
      default:
        COTANGENT_CHECK(false);
        return Fraction(Polynomial(*ring_));
    }
  }

  const Fraction& fraction_of(Expr e) {
    const auto at = known_.find(e.id());
    if (at != known_.end()) return at->second;
    for (const Expr node : reachable(std::array{e}))
      if (!known_.contains(node.id()) && needed_.contains(node.id()) && !(node == e))
        known_.emplace(node.id(), convert(node));
    return known_.emplace(e.id(), convert(e)).first->second;
  }

  Fraction divide(const Fraction& a, const Fraction& b) {
    const Fraction divisor = lowered(b);
    if (divisor.num.is_zero()) throw TooLong();
    return a / divisor;
  }

  // With powers of atoms lowered by their relations.
  Fraction lowered(const Fraction& f) {
    Fraction result = f;
    bool changed = true;
    while (changed) {
      changed = false;
      for (std::size_t k = atoms_.size(); k-- > 0;) {
        if (result.num.degree(k) < 2 && result.den.degree(k) < 2) continue;
        const Expr square = square_of(atoms_[k]);
        if (!square.valid()) continue;
        const Fraction s = lowered(fraction_of(square));
        result = lowered(result.num, k, s) / lowered(result.den, k, s);
        changed = true;
      }
    }
    return result;
  }

  // sum_j c_j a^j -> sum_j c_j s^(j/2) a^(j mod 2) for atom k.
  Fraction lowered(const Polynomial& p, std::size_t k, const Fraction& s) const {
    const Fraction a(Polynomial::generator(*ring_, k));
    Fraction sum{Polynomial(*ring_)};
    for (const auto& [exponent, c] : coefficients(p, k)) {
      Fraction term{c};
      for (slong j = 0; j < exponent / 2; ++j) term = term * s;
      if (exponent % 2 == 1) term = term * a;
      sum = sum + term;
    }
    return sum;
  }

  // p as a polynomial in atom k.
  std::vector<std::pair<slong, Polynomial>> coefficients(const Polynomial& p, std::size_t k) const {
    std::vector<std::pair<slong, Polynomial>> result;
    fmpz_mpoly_univar_t u;
    fmpz_mpoly_univar_init(u, ring_->context());
    fmpz_mpoly_to_univar(u, p.data(), static_cast<slong>(k), ring_->context());
    for (slong i = 0; i < fmpz_mpoly_univar_length(u, ring_->context()); ++i) {
      Polynomial c(*ring_);
      fmpz_mpoly_univar_get_term_coeff(c.data(), u, i, ring_->context());
      result.emplace_back(fmpz_mpoly_univar_get_term_exp_si(u, i, ring_->context()), c);
    }
    fmpz_mpoly_univar_clear(u, ring_->context());
    return result;
  }

  // The leading term of the divisor in its variables, with the parameters as numbers: c m + rest. Terms of `a` that m
  // divides are replaced: c a - quotient divisor.
  bool lower(Polynomial& a, Polynomial& scale, const Polynomial& divisor) const {
    if (divisor.is_zero() || a.is_zero()) return false;
    std::vector<ulong> lead;
    for (std::size_t k = 0; k < atoms_.size(); ++k) lead.push_back(divisor.exponent(0, k));
    Polynomial c(*ring_), m(*ring_, 1);
    // All terms with that monomial in the variables: parameters come last, so these are the first ones.
    for (slong i = 0; i < divisor.terms(); ++i) {
      bool same = true;
      for (std::size_t k = 0; k < atoms_.size() && rank_of(atoms_[k]) < 6; ++k)
        same = same && divisor.exponent(i, k) == lead[k];
      if (!same) break;
      Polynomial term(*ring_);
      fmpz_mpoly_get_term(term.data(), divisor.data(), i, ring_->context());
      c = c + term;
    }
    bool constant = true;
    for (std::size_t k = 0; k < atoms_.size() && rank_of(atoms_[k]) < 6; ++k) {
      if (lead[k] > 0) constant = false;
      m = m * power(Polynomial::generator(*ring_, k), lead[k]);
    }
    if (constant) return false;
    Polynomial coefficient(*ring_);
    fmpz_mpoly_divides(coefficient.data(), c.data(), m.data(), ring_->context());
    // quotient = the terms of a that m divides, divided by it.
    Polynomial quotient(*ring_);
    for (slong i = 0; i < a.terms(); ++i) {
      Polynomial term(*ring_), part(*ring_);
      fmpz_mpoly_get_term(term.data(), a.data(), i, ring_->context());
      if (fmpz_mpoly_divides(part.data(), term.data(), m.data(), ring_->context()) != 0) quotient = quotient + part;
    }
    if (quotient.is_zero()) return false;
    a = coefficient * a - quotient * divisor;
    scale = scale * coefficient;
    return true;
  }

  Expr to_expr(const Polynomial& a, const Polynomial& den) {
    Graph& g = algebra_.graph_;
    Expr sum = g.constant(0);
    for (slong i = 0; i < a.terms(); ++i) {
      Polynomial term(*ring_);
      fmpz_mpoly_get_term(term.data(), a.data(), i, ring_->context());
      const Fraction f(term, den);
      const Expr top = monomial(f.num), bottom = monomial(f.den);
      sum = sum + (bottom.is_constant(1) ? top : top / bottom);
    }
    return sum;
  }

  // @pre one term.
  Expr monomial(const Polynomial& a) {
    Graph& g = algebra_.graph_;
    fmpz_t c;
    fmpz_init(c);
    fmpz_mpoly_get_term_coeff_fmpz(c, a.data(), 0, ring_->context());
    const bool fits = fmpz_bits(c) <= 112;
    char* digits = fmpz_get_str(nullptr, 10, c);
    Expr result = g.constant(strtoflt128(digits, nullptr));
    flint_free(digits);
    fmpz_clear(c);
    if (!fits) throw TooLong();
    // Parameters and positions before momenta, as one writes.
    for (std::size_t k = atoms_.size(); k-- > 0;)
      if (const ulong n = a.exponent(0, k); n > 0) result = result * pow(atoms_[k], static_cast<double>(n));
    return result;
  }

  Algebra& algebra_;
  slong budget_, granted_;
  std::vector<Expr> atoms_;
  std::unordered_set<NodeId> needed_;
  std::unordered_map<NodeId, Expr> atom_form_;
  std::unordered_map<NodeId, std::size_t> number_;
  std::unordered_map<NodeId, Fraction> known_;
  std::unique_ptr<PolynomialRing> ring_;
};

// A function of normal forms; in terms of fewer functions, where it can be written so.
Expr Algebra::atom(Expr e) {
  if (e.arity() == 0) return e;
  std::vector<Expr> args;
  for (int k = 0; k < e.arity(); ++k) args.push_back(simplified(e.arg(k)));
  const Expr x = args[0];
  switch (e.op()) {
    case Op::pow:
      if (is_half_integer(args[1])) return pow(sqrt(x), 2 * static_cast<double>(args[1].value()));
      break;
    case Op::tan:
      return sin(x) / cos(x);
    case Op::sin:
      if (starts_with_minus(x)) return -sin(simplified(-x));
      break;
    case Op::cos:
      if (starts_with_minus(x)) return cos(simplified(-x));
      break;
    case Op::tanh:
      return graph_.apply(Op::sinh, x) / graph_.apply(Op::cosh, x);
    case Op::eq:
      return graph_.constant(0);  // at almost all points
    case Op::exp:
      if (starts_with_minus(x)) return 1.0 / exp(simplified(-x));
      if (x.op() == Op::add) return simplified(exp(x.arg(0))) * simplified(exp(x.arg(1)));
      if (x.op() == Op::mul && is_integer(x.arg(0)) && !x.arg(0).is_constant(1)) return pow(exp(x.arg(1)), x.arg(0));
      break;
    default:
      break;
  }
  return graph_.rebuild(e, args);
}

Expr Algebra::simplified(Expr e) {
  if (e.arity() == 0) return e;
  if (const auto at = simplified_.find(e.id()); at != simplified_.end()) return at->second;
  interruption_.check();
  Expr result = e;
  try {
    Conversion conversion(*this, std::array{e});
    result = conversion.to_expr(conversion.to_fraction(e));
  } catch (const TooLong&) {
    // Left as it is.
  }
  simplified_.emplace(e.id(), result);
  simplified_.emplace(result.id(), result);
  return result;
}

Expr Algebra::reduced(Expr e, std::span<const Expr> zero) try {
  if (e.is_constant()) return e;
  interruption_.check();
  std::vector<Expr> all{e};
  all.insert(all.end(), zero.begin(), zero.end());
  Conversion conversion(*this, all);
  const Fraction f = conversion.to_fraction(e);
  std::vector<Polynomial> divisors;
  for (const Expr z : zero) divisors.push_back(conversion.to_fraction(z).num);
  const Fraction num = conversion.remainder(f.num, divisors);
  const Fraction den = conversion.remainder(f.den, divisors);
  const auto terms = [](const Fraction& a) { return a.num.terms() + a.den.terms(); };
  if (num.num.is_zero()) return graph_.constant(0);
  Fraction best = f;
  if (const Fraction candidate = num / Fraction(f.den); terms(candidate) < terms(best)) best = candidate;
  if (!den.num.is_zero())
    for (const Fraction& candidate : {Fraction(f.num) / den, num / den})
      if (terms(candidate) < terms(best)) best = candidate;
  return conversion.to_expr(best);
} catch (const TooLong&) {
  return e;
}

std::vector<Factor> Algebra::factors(Expr e) try {
  interruption_.check();
  Conversion conversion(*this, std::array{e});
  const Polynomial num = conversion.to_fraction(e).num;
  const auto factors_of = [&](const Polynomial& a) {
    fmpz_mpoly_factor_t found;
    fmpz_mpoly_factor_init(found, a.context());
    std::vector<Factor> result;
    if (fmpz_mpoly_factor(found, a.data(), a.context()) != 0)
      for (slong i = 0; i < fmpz_mpoly_factor_length(found, a.context()); ++i) {
        Polynomial base(conversion.ring());
        fmpz_mpoly_factor_get_base(base.data(), found, i, a.context());
        if (conversion.is_parametric(base)) continue;
        result.push_back(
            {conversion.to_expr(base), static_cast<unsigned>(fmpz_mpoly_factor_get_exp_si(found, i, a.context()))});
      }
    fmpz_mpoly_factor_clear(found, a.context());
    return result;
  };
  // A - 2 s b with s = sqrt(A) is s (s - 2 b).
  const auto plain = factors_of(num),
             in_roots = factors_of(conversion.remainder(num, conversion.squares_of_roots()).num);
  return in_roots.size() > plain.size() ? in_roots : plain;
} catch (const TooLong&) {
  return {{e, 1}};
}

}  // namespace cotangent
