#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "cotangent/expr/expr.hpp"
#include "cotangent/model/language/index_range.hpp"
#include "cotangent/model/language/purpose.hpp"
#include "cotangent/model/language/syntax.hpp"
#include "cotangent/model/model.hpp"
#include "cotangent/model/source/source.hpp"

namespace cotangent {

/// What an expression of the language stands for: a number, or a vector of numbers. Vectors live only while a model is
/// read; the model knows their components.
class Value {
 public:
  Value() = default;
  Value(Expr number) : components_{number} {}  // NOLINT(google-explicit-constructor): a number is a value
  explicit Value(std::vector<Expr> components, bool is_vector = true)
      : components_(std::move(components)), is_vector_(is_vector) {}

  bool is_vector() const { return is_vector_; }

  /// @pre not a vector.
  Expr number() const { return components_[0]; }

  /// Components of a vector; a number is its only one.
  const std::vector<Expr>& components() const { return components_; }
  std::size_t size() const { return components_.size(); }
  Expr operator[](std::size_t k) const { return components_[k]; }

  /// f(component, its partner) of every component of two values of one size.
  template <class F>
  static Value combine(const Value& a, const Value& b, const F& f) {
    std::vector<Expr> result;
    for (std::size_t k = 0; k < a.size(); ++k) result.push_back(f(a[k], b[k]));
    return Value(std::move(result), a.is_vector());
  }

  /// Whether both are numbers, or vectors of one size.
  friend bool alike(const Value& a, const Value& b) { return a.is_vector() == b.is_vector() && a.size() == b.size(); }

  /// f(component) of every component.
  template <class F>
  Value map(const F& f) const {
    return combine(*this, *this, [&](Expr e, Expr) { return f(e); });
  }

  /// "a number", "a vector of 3 components": for messages.
  std::string describe() const {
    if (!is_vector()) return "a number";
    return "a vector of " + std::to_string(size()) + (size() == 1 ? " component" : " components");
  }

 private:
  std::vector<Expr> components_;
  bool is_vector_ = false;
};

/// A definition with arguments; its body is resolved anew wherever it is used.
struct FunctionDefinition {
  std::vector<std::string> arguments;
  Syntax body;
};

/// A definition that refers to itself at the index before: "s[i]" = "if(i == 1, A, s[i-1] + B)", that is,
/// s[k] = A + the sum of B over i in 2..k.
struct RecursiveDefinition {
  std::string index;
  Syntax body;
};

/// What a name stands for outside loops.
struct Named {
  NameKind kind;
  Value value = {};                                ///< of a scalar, a constant, or a definition without indices
  SymbolId array = 0;                              ///< the symbol of an array or a multiplier
  std::vector<std::int64_t> shape = {};            ///< of an array; empty for a scalar
  const Parameter* parameter = nullptr;            ///< of a parameter; outlives the scope
  std::shared_ptr<const NamedValues> family = {};  ///< of an indexed definition, or of a multiplier
  std::shared_ptr<const FunctionDefinition> function = {};  ///< of a definition with arguments
  std::shared_ptr<const RecursiveDefinition> recursion = {};
  bool pending = false;  ///< a definition that contains multipliers, before the constraints are known
  Location where = {};   ///< where it was declared; no source for what the language brings along

  bool is_array() const { return !shape.empty(); }
};

/// What the body of a definition sees of its own.
struct DefinitionFrame {
  std::string definition;                   ///< its name; empty outside definitions
  std::map<std::string, Value> arguments;   ///< by name
  std::unordered_set<SymbolId> taken = {};  ///< index symbols inside the arguments: the body's loops must not bind them
  bool is_expansion = false;                ///< of a definition with arguments
  std::size_t first_loop = 0;               ///< loops before this one belong to the user of the definition
  std::optional<Value> before = {};         ///< inside a recursion: what stands for its value at the index before
};

/// The names that an expression sees: those of the model, the indices of the loops around it and, inside a definition
/// with arguments, these.
class Scope {
 public:
  /// A scope with only what the language brings along: t, pi and e. The graph must outlive the scope.
  explicit Scope(Graph& graph);

  /// The scope of a finished model: its parameters, coordinates, momenta, velocities, states, multipliers and t.
  explicit Scope(const Model& model);

  Graph& graph() const { return *graph_; }
  Expr time() const { return time_; }

  /// @throws ModelError if the name is taken, or belongs to the language.
  void declare(const std::string& name, Named named);

  /// Replaces what a declared name stands for.
  void redeclare(const std::string& name, Named named) { insert(name, std::move(named)); }

  /// Declares a coordinate with its momentum and velocity, or a state or minimal coordinate: new symbols of the graph.
  /// @throws ModelError as declare().
  Coordinate declare_coordinate(const State& q, const Location& where);
  State declare_variable(State variable, SymbolKind kind, const Location& where);

  /// Declares a parameter, whose symbol it has already. @param parameter must outlive this.
  void declare_parameter(const Parameter& parameter, const Location& where);

  /// What a name stands for outside loops; a null pointer if nothing.
  const Named* find(const std::string& name) const;

  /// The index of that name of the innermost loop that has one.
  std::optional<Expr> find_index(std::string_view name) const;

  /// The argument of that name of the definition that is being expanded; a null pointer if there is none.
  const Value* find_argument(const std::string& name) const;

  /// Remembers that an expression mentions a name.
  void use(const std::string& name) { used_.insert(name); }
  bool is_used(const std::string& name) const { return used_.contains(name); }

  /// Names that an expression for this purpose could use here.
  std::vector<std::string> usable_names(const Purpose& purpose) const;

  /// What was probably meant by an unknown name: x_dot and xdot are called v_x, others are near a candidate. May be
  /// empty.
  std::string meant_by(const std::string& name, std::span<const std::string> candidates) const;

  /// Functions that an expression can call, with the definitions that have arguments.
  std::vector<std::string> callable_names() const;

  /// Loops, from the outermost to the innermost.
  const std::vector<ActiveLoop>& loops() const { return loops_; }

  /// Enters the loop `name in lo..hi`. Loops of one name share a symbol where none is inside the other, so that equal
  /// sums are equal nodes.
  const ActiveLoop& enter_loop(const std::string& name, Expr lo, Expr hi, const Location& where);

  /// Enters the loop `(names) in list`. @pre as many names as the list has columns.
  const ActiveLoop& enter_list(const std::vector<std::string>& names, const Parameter& list, const Location& where);

  void leave_loop() { loops_.pop_back(); }

  /// The expression of a definition is used inside any loop: while it is built, its indices get symbols that
  /// no other loop has (i_total for i in the definition of total). An empty name ends this.
  void set_definition(std::string name) { frame_.definition = std::move(name); }

  /// Enters the body of a definition with arguments: its expressions see these, and not the loops around its use.
  /// @return what leave_definition() has to restore.
  /// @throws ModelError where one use leads to more than kLimits.expansions others: definitions that use each other
  /// multiply.
  DefinitionFrame enter_definition(std::string name, std::map<std::string, Value> arguments, const Location& where);
  void leave_definition(DefinitionFrame outside) { frame_ = std::move(outside); }

  /// The definition whose body is being read.
  DefinitionFrame& frame() { return frame_; }

  const ParameterMap& parameters() const { return parameters_; }

  /// The kinds of name that a value contains.
  NameKinds kinds_in(const Value& value);

  /// Where operations were written.
  SourcePlaces& places() { return places_; }

  const std::vector<std::string>& notes() const { return notes_; }
  void note(const Location& where, std::string_view text);

  /// Notes what an index of that name hides, if anything.
  void note_hidden_by(const std::string& index, const Location& where);

 private:
  void declare_builtins(Expr time);
  void insert(const std::string& name, Named named);
  Named array(SymbolId symbol, const std::vector<std::int64_t>& shape, const Location& where = {},
              const Parameter* parameter = nullptr) const;
  SymbolId index_symbol(const std::string& name);
  static void check_index_name(const std::string& name, const Location& where);

  Graph* graph_;
  Expr time_;
  std::map<std::string, Named> names_;
  ParameterMap parameters_;
  std::vector<ActiveLoop> loops_;
  std::map<std::string, std::vector<SymbolId>> index_symbols_;  // that loops may share, by name
  std::vector<NameKinds> kinds_;  // in each node of the graph, as far as anybody has asked
  DefinitionFrame frame_;
  int expansions_ = 0;  // of definitions inside the outermost one that is expanded
  std::unordered_set<std::string> used_;
  std::vector<std::string> notes_;
  SourcePlaces places_;
};

/// Whether the language itself uses this name: a function, "sum", "in".
bool is_word_of_language(std::string_view name);

}  // namespace cotangent
