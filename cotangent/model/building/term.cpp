#include "cotangent/model/building/term.hpp"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

namespace cotangent {

Term::Term(double value) : text_(fmt::format("{}", value)), level_(value < 0 ? Level::sum : Level::atom) {
  if (!std::isfinite(value)) throw std::invalid_argument(text_ + " cannot be part of an expression: it is no number");
}

// Operations of one level are made from the left.
Term Term::join(const char* sign, const Term& b, Level level) const {
  const Level tighter = level == Level::sum ? Level::product : Level::power;
  return {at_least(level) + sign + b.at_least(tighter), level};
}

Term Term::entry(const std::vector<Term>& indices) const {
  return {at_least(Level::atom) + "[" + joined(indices, &Term::text) + "]", Level::atom};
}

Term call(const std::string& function, std::initializer_list<Term> arguments) {
  return {function + "(" + joined(arguments, &Term::text) + ")", Term::Level::atom};
}

Term vector_of(std::initializer_list<Term> components) {
  return Term::named("[" + joined(components, &Term::text) + "]");
}

Term choose(const Relation& relation, const Term& a, const Term& b) {
  const Term condition = Term::named(relation.left.text() + " " + relation.sign + " " + relation.right.text());
  return call("if", {condition, a, b});
}

Index::Index(const std::string& name, const Term& lo, const Term& hi)
    : Term(named(name)), loop_(name + " in " + lo.text() + ".." + hi.text()) {}

Index::Index(const std::string& name, const Term& list) : Term(named(name)), loop_(name + " in " + list.text()) {}

Term sum(const Loops& loops, const Term& term) { return call("sum", {Term::named(joined(loops, &Index::loop)), term}); }

}  // namespace cotangent
