#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <vector>

namespace cotangent {

/// An expression of a model, made with the operators of C++. It is the text that a model file would have in its place,
/// with parentheses such that it is evaluated in the order in which it was made:
///
///   const Term T = (pow(x.p, 2) + pow(y.p, 2)) / (2 * m);     // "(p_x^2 + p_y^2)/(2*m)"
///
/// Arrays have indices from 1, in parentheses: r(i, 3), or the vector r(i).
class Term {
 public:
  /// A number as it is written: 0.1 is 0.1 in every precision. @throws std::invalid_argument if it is not finite.
  Term(double value);
  template <std::integral T>
  Term(T value) : Term(std::to_string(value), value < 0 ? Level::sum : Level::atom) {}
  Term(bool value) = delete;
  Term(char value) = delete;

  /// A name.
  static Term named(std::string name) { return {std::move(name), Level::atom}; }

  template <class... Index>
  Term operator()(const Index&... indices) const {
    return entry({Term(indices)...});
  }

  const std::string& text() const { return text_; }

  Term& operator+=(const Term& more) { return *this = *this + more; }
  Term& operator-=(const Term& more) { return *this = *this - more; }
  Term& operator*=(const Term& more) { return *this = *this * more; }
  Term& operator/=(const Term& more) { return *this = *this / more; }

  friend Term operator+(const Term& a, const Term& b) { return a.join(" + ", b, Level::sum); }
  friend Term operator-(const Term& a, const Term& b) { return a.join(" - ", b, Level::sum); }
  friend Term operator*(const Term& a, const Term& b) { return a.join("*", b, Level::product); }
  friend Term operator/(const Term& a, const Term& b) { return a.join("/", b, Level::product); }
  friend Term operator-(const Term& a) { return {"-" + a.at_least(Level::product), Level::sum}; }
  friend Term operator+(const Term& a) { return a; }
  friend Term pow(const Term& a, const Term& b) {
    return {a.at_least(Level::atom) + "^" + b.at_least(Level::atom), Level::power};
  }
  friend Term call(const std::string& function, std::initializer_list<Term> arguments);

 private:
  /// How tightly the outermost operation binds; signs bind like sums.
  enum class Level : std::uint8_t { sum, product, power, atom };

  Term(std::string text, Level level) : text_(std::move(text)), level_(level) {}
  Term join(const char* sign, const Term& b, Level level) const;
  std::string at_least(Level level) const { return level_ < level ? "(" + text_ + ")" : text_; }
  Term entry(const std::vector<Term>& indices) const;

  std::string text_;
  Level level_;
};

/// The texts of items, with commas between them.
template <class Items, class Text>
std::string joined(const Items& items, const Text& text) {
  std::string result;
  for (const auto& item : items) result += (result.empty() ? "" : ", ") + std::invoke(text, item);
  return result;
}

/// function(arguments), a function of the language of models: docs/model-files.md.
Term call(const std::string& function, std::initializer_list<Term> arguments);

inline Term sin(const Term& a) { return call("sin", {a}); }
inline Term cos(const Term& a) { return call("cos", {a}); }
inline Term tan(const Term& a) { return call("tan", {a}); }
inline Term asin(const Term& a) { return call("asin", {a}); }
inline Term acos(const Term& a) { return call("acos", {a}); }
inline Term atan(const Term& a) { return call("atan", {a}); }
inline Term atan2(const Term& y, const Term& x) { return call("atan2", {y, x}); }
inline Term sinh(const Term& a) { return call("sinh", {a}); }
inline Term cosh(const Term& a) { return call("cosh", {a}); }
inline Term tanh(const Term& a) { return call("tanh", {a}); }
inline Term exp(const Term& a) { return call("exp", {a}); }
inline Term log(const Term& a) { return call("log", {a}); }
inline Term sqrt(const Term& a) { return call("sqrt", {a}); }
inline Term abs(const Term& a) { return call("abs", {a}); }
inline Term sign(const Term& a) { return call("sign", {a}); }
inline Term floor(const Term& a) { return call("floor", {a}); }
inline Term ceil(const Term& a) { return call("ceil", {a}); }
inline Term round(const Term& a) { return call("round", {a}); }
inline Term mod(const Term& a, const Term& b) { return call("mod", {a, b}); }
inline Term erf(const Term& a) { return call("erf", {a}); }
inline Term erfc(const Term& a) { return call("erfc", {a}); }
inline Term min(const Term& a, const Term& b) { return call("min", {a, b}); }
inline Term max(const Term& a, const Term& b) { return call("max", {a, b}); }

// Of vectors.
inline Term dot(const Term& a, const Term& b) { return call("dot", {a, b}); }
inline Term cross(const Term& a, const Term& b) { return call("cross", {a, b}); }
inline Term norm(const Term& a) { return call("norm", {a}); }
inline Term norm2(const Term& a) { return call("norm2", {a}); }
Term vector_of(std::initializer_list<Term> components);

/// left = right, or another relation of two terms.
struct Relation {
  Term left;
  std::string sign;
  Term right;
};
inline Relation operator==(const Term& a, const Term& b) { return {a, "==", b}; }
inline Relation operator!=(const Term& a, const Term& b) { return {a, "!=", b}; }
inline Relation operator<(const Term& a, const Term& b) { return {a, "<", b}; }
inline Relation operator<=(const Term& a, const Term& b) { return {a, "<=", b}; }
inline Relation operator>(const Term& a, const Term& b) { return {a, ">", b}; }
inline Relation operator>=(const Term& a, const Term& b) { return {a, ">=", b}; }

/// a where the relation holds, b elsewhere.
Term choose(const Relation& relation, const Term& a, const Term& b);

/// The index of a loop: of sums, and of families of constraints and values.
class Index : public Term {
 public:
  Index(const std::string& name, const Term& lo, const Term& hi);
  /// @param list a table of integers.
  Index(const std::string& name, const Term& list);

  const std::string& loop() const { return loop_; }

 private:
  std::string loop_;
};
using Loops = std::vector<Index>;

/// The sum of a term over loops, the first one outermost.
Term sum(const Loops& loops, const Term& term);
inline Term sum(const Index& index, const Term& term) { return sum(Loops{index}, term); }

}  // namespace cotangent
