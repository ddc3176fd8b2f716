#include <array>
#include <string_view>

#include "cotangent/expr/algorithm.hpp"

namespace cotangent {
namespace {

// Binding strengths, weakest first.
enum Precedence { kComparison, kSum, kProduct, kPower, kAtom };

struct Printed {
  std::string text;
  Precedence precedence;
};

std::string wrap(const Printed& e, Precedence needed) {
  return e.precedence < needed ? "\\left(" + e.text + "\\right)" : e.text;
}

Printed print(Expr e);

std::string upright(std::string_view name) {
  std::string text = "\\mathrm{";
  for (const char c : name) text += c == '_' ? std::string("\\_") : std::string(1, c);
  return text + "}";
}

// Names of Greek letters are these letters; longer names stand upright.
std::string word(const std::string& name) {
  static constexpr std::array<std::string_view, 30> greek{
      "alpha",  "beta",  "gamma", "delta", "epsilon", "zeta",   "eta",   "theta", "iota", "kappa",
      "lambda", "mu",    "nu",    "xi",    "pi",      "rho",    "sigma", "tau",   "phi",  "chi",
      "psi",    "omega", "Gamma", "Delta", "Theta",   "Lambda", "Sigma", "Phi",   "Psi",  "Omega"};
  for (const auto letter : greek)
    if (name == letter) return "\\" + name;
  return name.size() == 1 ? name : upright(name);
}

// p_x, r[2,3], lambda_rod, phi_1', m1: what comes after the first underscore, brackets and digits are indices.
std::string symbol(std::string name) {
  std::string primes, below;
  while (name.ends_with('\'')) name.pop_back(), primes += '\'';
  const auto append = [&](const std::string& index) { below += (below.empty() ? "" : ",") + index; };
  std::string entry;
  if (const auto bracket = name.find('['); bracket != name.npos) {
    entry = name.substr(bracket + 1, name.size() - bracket - 2);
    name.resize(bracket);
  }
  const auto underscore = name.find('_', 1);
  if (underscore != name.npos && underscore + 1 < name.size()) {
    const std::string index = name.substr(underscore + 1);
    name.resize(underscore);
    append(index.find_first_not_of("0123456789") == index.npos ? index : symbol(index));
  }
  const auto digits = name.find_last_not_of("0123456789") + 1;
  if (digits < name.size() && digits > 0) {
    below = name.substr(digits) + (below.empty() ? "" : "," + below);
    name.resize(digits);
  }
  if (!entry.empty()) append(entry);
  return word(name) + (below.empty() ? "" : "_{" + below + "}") + primes;
}

Printed constant(Quad value) {
  constexpr std::size_t kLong = 20, kShort = 12;  // characters
  const std::string sign = value < 0 ? "-" : "";
  const auto f = small_fraction(value < 0 ? -value : value);
  const std::string decimal = to_string(value);
  if (f && f->denominator > 1 && (decimal.size() > kLong || f->denominator <= 16))
    return {sign + "\\frac{" + std::to_string(f->numerator) + "}{" + std::to_string(f->denominator) + "}",
            sign.empty() ? kAtom : kSum};
  const auto exponent = decimal.find('e');
  // 100 rather than 1e+02.
  if (f && f->denominator == 1) return {sign + std::to_string(f->numerator), sign.empty() ? kAtom : kSum};
  std::string digits = decimal.substr(0, exponent);
  if (digits.size() > kLong) digits.replace(kShort, digits.npos, "\\ldots");
  if (exponent == decimal.npos) return {digits, sign.empty() ? kAtom : kSum};
  return {digits + " \\cdot 10^{" + std::to_string(std::stoi(decimal.substr(exponent + 1))) + "}", kProduct};
}

std::string fraction(Expr top, Expr bottom) { return "\\frac{" + print(top).text + "}{" + print(bottom).text + "}"; }

Printed mul(Expr a, Expr b) {
  if (a.is_constant(-1)) return {"-" + wrap(print(b), kProduct), kSum};
  if (a.is_constant() && a.value() < 0) return {"-" + mul(-a, b).text, kSum};
  // (n/d) x is n x/d.
  const auto f = a.is_constant() ? small_fraction(a.value()) : std::nullopt;
  if (f && f->denominator > 1 && f->denominator <= 1000) {
    Graph& g = a.graph();
    const Expr top = g.constant(static_cast<Quad>(f->numerator)) * (b.op() == Op::div ? b.arg(0) : b);
    const Expr bottom = g.constant(static_cast<Quad>(f->denominator));
    return {"\\frac{" + print(top).text + "}{" + print(bottom).text +
                (b.op() == Op::div ? " " + wrap(print(b.arg(1)), kProduct) : "") + "}",
            kProduct};
  }
  return {wrap(print(a), kProduct) + " " + (b.is_constant() ? "\\cdot " : "") + wrap(print(b), kProduct), kProduct};
}

Printed print(Expr e) {
  const auto arg = [&](int k) { return print(e.arg(k)); };
  const auto all = [&] {
    std::string text;
    for (int k = 0; k < e.arity(); ++k) text += (k > 0 ? ", " : "") + arg(k).text;
    return text;
  };
  const auto call = [&](const std::string& name) { return Printed{name + "\\left(" + all() + "\\right)", kAtom}; };
  switch (e.op()) {
    case Op::constant:
      return constant(e.value());
    case Op::symbol:
      return {symbol(e.symbol().name), kAtom};
    case Op::entry:
      return {symbol(e.symbol().name + "[" + all() + "]"), kAtom};
    case Op::sum: {
      const std::string from = symbol(e.symbol().name) + "=" + arg(0).text;
      return {"\\sum_{" + from + "}^{" + arg(1).text + "} " + wrap(arg(2), kProduct), kProduct};
    }
    case Op::add: {
      const Printed right = arg(1);
      if (right.text.starts_with('-')) return {arg(0).text + " - " + right.text.substr(1), kSum};
      return {arg(0).text + " + " + right.text, kSum};
    }
    case Op::mul:
      return mul(e.arg(0), e.arg(1));
    case Op::div:
      if (const Expr top = e.arg(0); top.op() == Op::mul && top.arg(0).is_constant() && top.arg(0).value() < 0)
        return {"-" + fraction(-top, e.arg(1)), kSum};
      return {fraction(e.arg(0), e.arg(1)), kProduct};
    case Op::pow:
      if (is_unary_function(e.arg(0).op()) && e.arg(0).op() >= Op::sin && e.arg(0).op() <= Op::log &&
          e.arg(0).op() != Op::exp) {
        const Expr f = e.arg(0);
        return {
            "\\" + std::string(spelling(f.op())) + "^{" + arg(1).text + "}\\left(" + print(f.arg(0)).text + "\\right)",
            kAtom};
      }
      if (e.arg(0).op() == Op::exp) return {"e^{" + print(e.arg(1) * e.arg(0).arg(0)).text + "}", kPower};
      return {wrap(arg(0), kAtom) + "^{" + arg(1).text + "}", kPower};
    case Op::sqrt:
      return {"\\sqrt{" + arg(0).text + "}", kAtom};
    case Op::abs:
      return {"\\left|" + arg(0).text + "\\right|", kAtom};
    case Op::exp:
      return {"e^{" + arg(0).text + "}", kPower};
    case Op::lt:
      return {wrap(arg(0), kSum) + " < " + wrap(arg(1), kSum), kComparison};
    case Op::le:
      return {wrap(arg(0), kSum) + " \\le " + wrap(arg(1), kSum), kComparison};
    case Op::eq:
      return {wrap(arg(0), kSum) + " = " + wrap(arg(1), kSum), kComparison};
    case Op::ne:
      return {wrap(arg(0), kSum) + " \\ne " + wrap(arg(1), kSum), kComparison};
    case Op::asin:
    case Op::acos:
    case Op::atan:
      return call("\\arc" + std::string(spelling(e.op())).substr(1));
    case Op::sin:
    case Op::cos:
    case Op::tan:
    case Op::sinh:
    case Op::cosh:
    case Op::tanh:
    case Op::log:
    case Op::min:
    case Op::max:
      return call("\\" + std::string(spelling(e.op())));
    default:
      return call("\\operatorname{" + std::string(spelling(e.op())) + "}");
  }
}

}  // namespace

std::string to_latex(Expr e) { return print(e).text; }

}  // namespace cotangent
