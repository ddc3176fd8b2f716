#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cotangent/base/scalar.hpp"
#include "cotangent/model/excerpt.hpp"
#include "cotangent/model/source.hpp"

namespace cotangent {

struct DocumentEntry;

/// A value of a TOML document, with its place. This is all that the reader sees of TOML.
struct DocumentValue {
  enum class Kind : std::uint8_t { boolean, integer, real, string, date, list, table };

  Kind kind = Kind::table;
  Location where;

  bool boolean = false;
  std::int64_t integer = 0;
  Quad real = 0;  ///< of integers too; decimals are read in quad precision, so that 0.1 is 0.1 in every precision
  Excerpt string;
  std::vector<DocumentValue> items;    ///< of a list
  std::vector<DocumentEntry> entries;  ///< of a table, in the order of the file

  bool is_number() const { return kind == Kind::integer || kind == Kind::real; }
  bool is_string() const { return kind == Kind::string; }
  bool is_list() const { return kind == Kind::list; }
  bool is_table() const { return kind == Kind::table; }

  /// The entry of that key, or a null pointer. @pre a table.
  const DocumentEntry* find(std::string_view key) const;
};

struct DocumentEntry {
  Excerpt key;
  DocumentValue value;

  const std::string& name() const { return key.text(); }
};

/// "a number", "a table", ...: for messages.
std::string_view describe(DocumentValue::Kind kind);

/// Reads TOML 1.0. @throws ModelError at the first mistake.
DocumentValue parse_document(const std::shared_ptr<const SourceText>& source);

}  // namespace cotangent
