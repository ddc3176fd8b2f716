#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "cotangent/base/scalar.hpp"
#include "cotangent/model/excerpt.hpp"
#include "cotangent/model/source.hpp"

namespace cotangent {

struct DocumentEntry;

/// A value of a TOML document, with its place. This is all that the reader sees of TOML. It is kept small: a table of
/// numbers has millions.
class DocumentValue {
 public:
  enum class Kind : std::uint8_t { boolean, integer, real, string, date, list, table };

  Location where;

  DocumentValue() = default;
  explicit DocumentValue(Excerpt text);
  DocumentValue(Kind kind, Location place) : where(std::move(place)), kind_(kind) {}

  Kind kind() const { return kind_; }
  bool is_number() const { return kind_ == Kind::integer || kind_ == Kind::real; }
  bool is_string() const { return kind_ == Kind::string; }
  bool is_list() const { return kind_ == Kind::list; }
  bool is_table() const { return kind_ == Kind::table; }

  /// Each of these: @pre the kind is the one of its name.
  bool boolean() const { return std::get<bool>(content_); }
  std::int64_t integer() const { return static_cast<std::int64_t>(real()); }
  const Excerpt& string() const { return *std::get<std::unique_ptr<Excerpt>>(content_); }
  const std::vector<DocumentValue>& items() const { return std::get<std::vector<DocumentValue>>(content_); }
  const std::vector<DocumentEntry>& entries() const;  ///< in the order of the file

  /// The place of what is written: of a string without its quotes.
  Location text_place() const { return is_string() ? string().whole() : where; }

  /// Of an integer too; decimals are read in quad precision, so that 0.1 is 0.1 in every precision.
  Quad real() const { return std::get<Quad>(content_); }

  /// The entry of that key, or a null pointer. @pre a table.
  const DocumentEntry* find(std::string_view key) const;

 private:
  friend class DocumentConverter;

  Kind kind_ = Kind::date;
  std::variant<std::monostate, bool, Quad, std::unique_ptr<Excerpt>, std::vector<DocumentValue>,
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
