#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cotangent/expr/expr.hpp"
#include "cotangent/model/index_range.hpp"
#include "cotangent/model/model.hpp"
#include "cotangent/model/source.hpp"

namespace cotangent {

enum class NameKind : std::uint8_t {
  parameter,
  coordinate,
  momentum,
  velocity,
  time,
  constant,    ///< pi, e
  definition,  ///< a name for an expression
  constraint,  ///< known, so that no other section takes its name; has no value
};

/// "parameter", "coordinate", ...
std::string_view describe(NameKind kind);

/// What a name stands for outside loops.
struct Named {
  NameKind kind;
  Expr value = {};                       ///< the symbol of a scalar, or the expression of a constant or definition
  Quad number = 0;                       ///< of a parameter
  SymbolId array = 0;                    ///< of an array
  std::vector<std::int64_t> shape = {};  ///< empty for a scalar
  Location where = {};                   ///< where it was declared; no source for what the language brings along

  bool is_array() const { return !shape.empty(); }
};

/// Which kinds of name an expression may use, by what it is for.
struct Purpose {
  std::string_view place;  ///< "a constraint": for messages
  bool coordinates = false;
  bool momenta = false;
  bool velocities = false;
  bool time = false;
  bool parameter_values = false;  ///< parameters stand for their numbers, not for their symbols
  bool evaluated = false;         ///< sums are added up while the model is read, and must not be too long
  std::string_view advice = {};   ///< why, or what to do instead, when a name is refused

  bool allows(NameKind kind) const;
};

inline constexpr Purpose kForParameter{.place = "a parameter", .parameter_values = true, .evaluated = true};
inline constexpr Purpose kForIndex{.place = "an index or a size", .parameter_values = true, .evaluated = true};
inline constexpr Purpose kForHamiltonian{.place = "the hamiltonian",
                                         .coordinates = true,
                                         .momenta = true,
                                         .advice =
                                             "a hamiltonian is a function of coordinates and momenta; "
                                             "dependence on the time is not supported by this version yet"};
inline constexpr Purpose kForConstraint{.place = "a constraint",
                                        .coordinates = true,
                                        .advice =
                                            "constraints are holonomic: equations between coordinates; "
                                            "dependence on the time is not supported by this version yet"};
inline constexpr Purpose kForInitial{
    .place = "an initial value",
    .evaluated = true,
    .advice = "this version evaluates initial values from parameters and indices only"};
inline constexpr Purpose kForAnything{
    .place = "an expression", .coordinates = true, .momenta = true, .velocities = true, .time = true};

/// The names that an expression sees: those of the model, and the indices of the loops around it.
class Scope {
 public:
  /// A scope with only what the language brings along: t, pi and e. The graph must outlive the scope.
  explicit Scope(Graph& graph);

  /// The scope of a finished model: its parameters, coordinates, momenta, velocities and t.
  explicit Scope(const Model& model);

  Graph& graph() const { return *graph_; }
  Expr time() const { return time_; }

  /// @throws ModelError if the name is taken, or belongs to the language.
  void declare(const std::string& name, Named named);

  /// Declares a coordinate with its momentum and velocity, new symbols of the graph.
  /// @throws ModelError as declare().
  Coordinate declare_coordinate(const std::string& name, std::vector<std::int64_t> shape, const Location& where);

  /// What a name stands for outside loops; a null pointer if nothing.
  const Named* find(const std::string& name) const;

  /// The innermost loop with that index, or a null pointer.
  const ActiveLoop* find_loop(std::string_view name) const;

  /// Names that an expression for this purpose could use here.
  std::vector<std::string> usable_names(const Purpose& purpose) const;

  /// Indices of loops, from the outermost to the innermost.
  const std::vector<ActiveLoop>& loops() const { return loops_; }

  /// Enters a loop and returns its index. Loops of one name share a symbol where none is inside the other, so
  /// that equal sums are equal nodes.
  SymbolId enter_loop(const std::string& name, Expr lo, Expr hi, const Location& where);
  void leave_loop() { loops_.pop_back(); }

  /// The expression of a definition is used inside any loop: while it is built, its indices get symbols that
  /// no other loop has (i_total for i in the definition of total). An empty name ends this.
  void set_definition(std::string name) { definition_ = std::move(name); }

  /// The numbers of the parameters, for evaluating conditions.
  const std::map<SymbolId, double>& parameter_numbers() const { return parameter_numbers_; }

  const std::vector<std::string>& notes() const { return notes_; }
  void note(const Location& where, std::string_view text);

  /// Notes what an index of that name hides, if anything.
  void note_hidden_by(const std::string& index, const Location& where);

 private:
  void declare_builtins(Expr time);
  void insert(const std::string& name, Named named);
  SymbolId index_symbol(const std::string& name);

  Graph* graph_;
  Expr time_;
  std::map<std::string, Named> names_;
  std::map<SymbolId, double> parameter_numbers_;
  std::vector<ActiveLoop> loops_;
  std::map<std::string, std::vector<SymbolId>> index_symbols_;  // that loops may share, by name
  std::set<std::string> noted_;
  std::vector<std::string> notes_;
  std::string definition_;  // that is being built, or empty
};

/// Whether the language itself uses this name: a function, "sum", "in".
bool is_word_of_language(std::string_view name);

/// The functions that can be called, for suggestions.
const std::vector<std::string>& function_names();

}  // namespace cotangent
