#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "cotangent/model/building/term.hpp"

namespace cotangent {

/// A model that is made in C++: every call is an entry of a model file, and means what it means there.
///
///   ModelBuilder pendulum("Pendulum");
///   const Term l = pendulum.parameter("l", 1);
///   const CoordinateTerm x = pendulum.coordinate("x"), y = pendulum.coordinate("y");
///   pendulum.hamiltonian((pow(x.p, 2) + pow(y.p, 2)) / 2 + y);
///   pendulum.constraint("rod", pow(x, 2) + pow(y, 2) == pow(l, 2));
///   pendulum.initial(x, l);
///   ...
///   Run run(build_model(pendulum), {.method = "rattle", .step = 0.01, .end = 100});
///
/// text() is the model file. Mistakes are found when it is read, and shown in its lines.
class ModelBuilder {
 public:
  using Shape = std::vector<Term>;

  explicit ModelBuilder(std::string title = "") : title_(std::move(title)) {}

  /// A coordinate q with its momentum and its velocity.
  struct CoordinateTerm : Term {
    explicit CoordinateTerm(const std::string& name)
        : Term(named(name)), p(named("p_" + name)), v(named("v_" + name)) {}
    Term p, v;
  };

  Term parameter(const std::string& name, const Term& value);
  Term table(const std::string& name, const std::vector<Term>& entries);
  Term table(const std::string& name, const std::vector<std::vector<Term>>& rows);

  CoordinateTerm coordinate(const std::string& name, const Shape& shape = {});
  Term state(const std::string& name, const Shape& shape = {});

  void hamiltonian(const Term& H) { assign("system", "hamiltonian", H); }
  void alternative(const Term& H) { assign("system", "hamiltonian_alternative", H); }
  void lagrangian(const Term& L) { assign("system", "lagrangian", L); }
  void dissipation(const Term& D) { assign("system", "dissipation", D); }

  /// One equation, or one for every turn of the loops. Returns its multiplier.
  Term constraint(const std::string& name, const Relation& equation, const Loops& each = {});

  Term definition(const std::string& name, const Term& value, const Loops& each = {});
  void observable(const std::string& name, const Term& value, const Loops& each = {}) {
    assign("observables", name, value, each);
  }
  void invariant(const std::string& name, const Term& value, const Loops& each = {}) {
    assign("invariants", name, value, each);
  }

  /// Values of variables: with loops, of the entries with these indices; several calls give several parts of an array.
  void force(const Term& coordinate, const Term& value, const Loops& each = {}) {
    assign("forces", coordinate.text(), value, each);
  }
  void rate(const Term& state, const Term& value, const Loops& each = {}) {
    assign("equations", state.text(), value, each);
  }
  /// u'' = value, for all of u or an entry of it; its velocity is Term::named("v_u").
  void second_rate(const Term& state, const Term& value, const Loops& each = {}) {
    assign("equations", state.text() + "''", value, each);
  }
  void exact(const Term& variable, const Term& value, const Loops& each = {}) {
    assign("exact", variable.text(), value, each);
  }
  void initial(const Term& variable, const Term& value, const Loops& each = {}) {
    assign("initial", variable.text(), value, each);
  }

  /// A minimal coordinate s, coordinates q = phi(s, t), and where to look for s.
  Term minimal(const std::string& name, const Shape& shape = {});
  void phi(const Term& coordinate, const Term& value, const Loops& each = {}) {
    assign("minimal", coordinate.text(), value, each);
  }
  void guess(const Term& s, const Term& value) { assign("minimal.guess", s.text(), value); }

  /// The time, and the constant.
  static Term t() { return Term::named("t"); }
  static Term pi() { return Term::named("pi"); }

  /// Whether there is an energy, or a constraint.
  bool has_mechanics() const;
  /// An entry of a coordinate, any of them; 0 if there are none.
  Term some_coordinate() const { return some_coordinate_; }

  std::string text() const;

 private:
  struct Entry {
    std::string key;
    std::vector<std::string> values;  ///< several are items of a list
    bool is_list;
  };

  void add(const std::string& section, const std::string& key, const std::string& value, bool is_list = false);
  void assign(const std::string& section, const std::string& key, const Term& value, const Loops& each = {});
  Term declare(const std::string& section, const std::string& list, const std::string& name, const Shape& shape);

  std::string title_;
  Term some_coordinate_ = 0;
  std::map<std::string, std::vector<Entry>> sections_;
};

using CoordinateTerm = ModelBuilder::CoordinateTerm;

}  // namespace cotangent
