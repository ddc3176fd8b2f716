#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "cotangent/base/scalar.hpp"
#include "cotangent/model/source/excerpt.hpp"
#include "cotangent/model/source/source.hpp"

namespace cotangent {

struct DocumentEntry;

/// A value of a TOML document, with its place. This is all that the reader sees of TOML. It is kept small: a table of
/// numbers has millions.
class DocumentValue {
 public:
  enum class Kind : std::uint8_t { date, boolean, integer, real, string, list, table };  ///< as in the content

  Location where;

  DocumentValue() = default;
  explicit DocumentValue(Excerpt text) : where(text.whole()), content_(std::make_unique<Excerpt>(std::move(text))) {}
  DocumentValue(std::vector<DocumentValue> items, Location place)
      : where(std::move(place)), content_(std::move(items)) {}

  Kind kind() const { return static_cast<Kind>(content_.index()); }
  bool is_number() const { return kind() == Kind::integer || kind() == Kind::real; }
  bool is_string() const { return kind() == Kind::string; }
  bool is_list() const { return kind() == Kind::list; }
  bool is_table() const { return kind() == Kind::table; }

  /// Each of these: @pre the kind is the one of its name.
  bool boolean() const { return std::get<bool>(content_); }
  std::int64_t integer() const { return std::get<std::int64_t>(content_); }
  const Excerpt& string() const { return *std::get<std::unique_ptr<Excerpt>>(content_); }
  const std::vector<DocumentValue>& items() const { return std::get<std::vector<DocumentValue>>(content_); }
  const std::vector<DocumentEntry>& entries() const;  ///< in the order of the file

  /// The place of what is written: of a string without its quotes.
  Location text_place() const { return is_string() ? string().whole() : where; }

  /// Of an integer too; decimals are read in quad precision, so that 0.1 is 0.1 in every precision.
  Quad real() const { return kind() == Kind::integer ? static_cast<Quad>(integer()) : std::get<Quad>(content_); }

  /// The entry of that key, or a null pointer. @pre a table.
  const DocumentEntry* find(std::string_view key) const;

 private:
  friend class DocumentConverter;

  std::variant<std::monostate, bool, std::int64_t, Quad, std::unique_ptr<Excerpt>, std::vector<DocumentValue>,
               std::unique_ptr<std::vector<DocumentEntry>>>
      content_;
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
