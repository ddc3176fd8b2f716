#pragma once

#include <flint/fmpz_mpoly.h>
#include <flint/fmpz_mpoly_factor.h>

#include <stdexcept>
#include <utility>

namespace cotangent {

/// The budget of a calculation is used up.
class TooLong : public std::runtime_error {
 public:
  TooLong() : std::runtime_error("the expressions become too long") {}
};

/// Polynomials over the integers in a number of generators, with the order of monomials lex [cox-little-oshea15].
class PolynomialRing {
 public:
  /// @param budget what operations may still cost, in products of terms; outlives this.
  PolynomialRing(std::size_t generators, slong& budget) : budget_(&budget) {
    fmpz_mpoly_ctx_init(context_, static_cast<slong>(generators), ORD_LEX);
  }
  ~PolynomialRing() { fmpz_mpoly_ctx_clear(context_); }
  PolynomialRing(const PolynomialRing&) = delete;
  PolynomialRing& operator=(const PolynomialRing&) = delete;

  const fmpz_mpoly_ctx_struct* context() const { return context_; }

  /// @throws TooLong where the budget is used up.
  void spend(slong cost) const {
    *budget_ -= cost;
    if (*budget_ < 0) throw TooLong();
  }

 private:
  slong* budget_;
  fmpz_mpoly_ctx_t context_;
};

/// One of them, as a value. The ring must outlive it.
class Polynomial {
 public:
  explicit Polynomial(const PolynomialRing& ring, slong value = 0) : ring_(&ring) {
    fmpz_mpoly_init(data_, ring.context());
    fmpz_mpoly_set_si(data_, value, ring.context());
  }
  Polynomial(const Polynomial& other) : Polynomial(*other.ring_) {
    fmpz_mpoly_set(data_, other.data_, ring_->context());
  }
  Polynomial& operator=(Polynomial other) {
    std::swap(ring_, other.ring_);
    fmpz_mpoly_swap(data_, other.data_, ring_->context());
    return *this;
  }
  ~Polynomial() { fmpz_mpoly_clear(data_, ring_->context()); }

  static Polynomial generator(const PolynomialRing& ring, std::size_t k) {
    Polynomial result(ring);
    fmpz_mpoly_gen(result.data_, static_cast<slong>(k), ring.context());
    return result;
  }

  const PolynomialRing& ring() const { return *ring_; }
  const fmpz_mpoly_ctx_struct* context() const { return ring_->context(); }
  fmpz_mpoly_struct* data() { return data_; }
  const fmpz_mpoly_struct* data() const { return data_; }

  slong terms() const { return fmpz_mpoly_length(data_, context()); }
  bool is_zero() const { return fmpz_mpoly_is_zero(data_, context()) != 0; }
  bool is_one() const { return fmpz_mpoly_is_one(data_, context()) != 0; }
  /// The exponent of a generator in a term, and the largest of all terms.
  ulong exponent(slong term, std::size_t k) const {
    return fmpz_mpoly_get_term_var_exp_ui(data_, term, static_cast<slong>(k), context());
  }
  slong degree(std::size_t k) const { return fmpz_mpoly_degree_si(data_, static_cast<slong>(k), context()); }

  friend Polynomial operator+(const Polynomial& a, const Polynomial& b) {
    Polynomial result(*a.ring_);
    fmpz_mpoly_add(result.data_, a.data_, b.data_, a.context());
    return result;
  }
  friend Polynomial operator-(const Polynomial& a, const Polynomial& b) {
    Polynomial result(*a.ring_);
    fmpz_mpoly_sub(result.data_, a.data_, b.data_, a.context());
    return result;
  }
  /// @throws TooLong
  friend Polynomial operator*(const Polynomial& a, const Polynomial& b) {
    a.ring_->spend(a.terms() * b.terms());
    Polynomial result(*a.ring_);
    fmpz_mpoly_mul(result.data_, a.data_, b.data_, a.context());
    return result;
  }
  friend Polynomial operator-(const Polynomial& a) { return Polynomial(*a.ring_) - a; }
  friend bool operator==(const Polynomial& a, const Polynomial& b) {
    return fmpz_mpoly_equal(a.data_, b.data_, a.context()) != 0;
  }

 private:
  const PolynomialRing* ring_;
  fmpz_mpoly_t data_;
};

/// a^k by repeated multiplication.
inline Polynomial power(const Polynomial& a, ulong k) {
  Polynomial result(a.ring(), 1);
  for (ulong j = 0; j < k; ++j) result = result * a;
  return result;
}

/// num/den without a common factor; the leading coefficient of den is positive.
struct Fraction {
  Polynomial num, den;

  explicit Fraction(const Polynomial& a) : num(a), den(a.ring(), 1) {}
  /// @pre b != 0.
  Fraction(const Polynomial& a, const Polynomial& b) : num(a), den(b) {
    const auto* context = a.context();
    if (!b.is_one()) a.ring().spend(a.terms() * b.terms());
    Polynomial divisor(a.ring());
    if (fmpz_mpoly_gcd(divisor.data(), num.data(), den.data(), context) == 0) throw TooLong();
    fmpz_mpoly_divides(num.data(), Polynomial(num).data(), divisor.data(), context);
    fmpz_mpoly_divides(den.data(), Polynomial(den).data(), divisor.data(), context);
    if (den.is_zero() || fmpz_sgn(den.data()->coeffs) > 0) return;
    num = -num;
    den = -den;
  }

  friend Fraction operator+(const Fraction& a, const Fraction& b) {
    if (a.den == b.den) return {a.num + b.num, a.den};
    return {a.num * b.den + b.num * a.den, a.den * b.den};
  }
  friend Fraction operator*(const Fraction& a, const Fraction& b) { return {a.num * b.num, a.den * b.den}; }
  /// @pre b != 0.
  friend Fraction operator/(const Fraction& a, const Fraction& b) { return {a.num * b.den, a.den * b.num}; }
};

}  // namespace cotangent
