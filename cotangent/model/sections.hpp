#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cotangent/model/document.hpp"
#include "cotangent/model/model.hpp"
#include "cotangent/model/reader.hpp"
#include "cotangent/model/scope.hpp"
#include "cotangent/model/syntax.hpp"

/// The sections of a model file, one function each, in the order in which they are read. Private to the
/// reader.
namespace cotangent {

/// One --set.
struct Override {
  Excerpt name;
  DocumentValue value;  ///< a string
  bool used = false;
};

/// A model while it is read.
struct Reading {
  std::shared_ptr<const SourceText> source;
  DocumentValue document;
  std::vector<Override> overrides;
  Model model;
  Scope scope{*model.graph};

  /// A section as a table, or a null pointer if it is absent. @throws ModelError if it is not a table.
  const DocumentValue* section(std::string_view name) const;
};

void read_parameters(Reading& reading);      ///< [parameters], with overrides
void read_coordinates(Reading& reading);     ///< system.coordinates
void declare_constraints(Reading& reading);  ///< the names in [constraints]
void read_definitions(Reading& reading);     ///< [definitions]
void read_hamiltonian(Reading& reading);     ///< system.hamiltonian
void read_constraints(Reading& reading);     ///< [constraints]
void read_initial(Reading& reading);         ///< [initial], with overrides
void read_run(Reading& reading);             ///< [run]

/// @throws ModelError unless every key is one of `known`; keys of `later` are refused as not supported yet.
void check_keys(const DocumentValue& table, std::span<const std::string_view> known,
                std::span<const std::string_view> later, std::string_view place);

/// @throws ModelError unless the key of a declaration is a name of the language.
void check_name(const DocumentEntry& entry, std::string_view what);

/// The text of a string. @throws ModelError if it is not one; `what` begins the message.
const Excerpt& expect_string(const DocumentValue& value, std::string_view what);

/// "what must be ..., not a table"
[[noreturn]] void wrong_type(const DocumentValue& value, std::string_view what, std::string_view expected);

/// "what not supported by this version yet"
[[noreturn]] void not_yet(const Location& where, std::string_view what);

/// A number as it stands, a string as an expression.
Expr read_value(Scope& scope, const DocumentValue& value, const Purpose& purpose, std::string_view what);

/// Names with the expressions that may mention them; null for a plain number.
struct Dependent {
  std::string name;
  Location where;
  const Syntax* syntax = nullptr;
};

/// An order in which everything comes after what it mentions. @throws ModelError for a cycle; `kind` is
/// named.
std::vector<std::size_t> dependency_order(std::span<const Dependent> items, std::string_view kind);

}  // namespace cotangent
