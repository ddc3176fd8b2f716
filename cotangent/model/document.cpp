#include "cotangent/model/document.hpp"

#include <quadmath.h>

// The only file that sees TOML's own types.
#define TOML_ENABLE_FORMATTERS 0
#include <toml++/toml.h>

#include <algorithm>
#include <utility>

namespace cotangent {
namespace {

class Converter {
 public:
  explicit Converter(std::shared_ptr<const SourceText> source) : source_(std::move(source)) {}

  DocumentValue value(const toml::node& node) const {
    DocumentValue result;
    result.where = locate(node.source());
    switch (node.type()) {
      case toml::node_type::boolean:
        result.kind = DocumentValue::Kind::boolean;
        result.boolean = **node.as_boolean();
        break;
      case toml::node_type::integer:
        result.kind = DocumentValue::Kind::integer;
        result.integer = **node.as_integer();
        result.real = static_cast<Quad>(result.integer);
        break;
      case toml::node_type::floating_point:
        result.kind = DocumentValue::Kind::real;
        result.real = decimal(result.where);
        break;
      case toml::node_type::string:
        result.kind = DocumentValue::Kind::string;
        result.string = Excerpt::quoted(source_, result.where.span.begin);
        break;
      case toml::node_type::array:
        result.kind = DocumentValue::Kind::list;
        for (const auto& item : *node.as_array()) result.items.push_back(value(item));
        break;
      case toml::node_type::table:
        result.kind = DocumentValue::Kind::table;
        for (const auto& [k, item] : *node.as_table()) result.entries.push_back({key(k), value(item)});
        // The library keeps a table sorted by its keys; users think in the order they wrote.
        std::sort(result.entries.begin(), result.entries.end(), [](const auto& a, const auto& b) {
          return a.key.whole().span.begin < b.key.whole().span.begin;
        });
        break;
      default:
        result.kind = DocumentValue::Kind::date;
        break;
    }
    return result;
  }

  Location locate(const toml::source_region& region) const {
    return {source_, {offset(region.begin), offset(region.end)}};
  }

  std::size_t offset(const toml::source_position& position) const {
    return source_->offset({position.line, position.column});
  }

 private:
  Excerpt key(const toml::key& key) const {
    const auto where = locate(key.source());
    const char first = source_->text()[where.span.begin];
    if (first == '"' || first == '\'') return Excerpt::quoted(source_, where.span.begin);
    return {source_, where.span};
  }

  Quad decimal(const Location& where) const {
    std::string digits = source_->text().substr(where.span.begin, where.span.length());
    std::erase(digits, '_');
    return strtoflt128(digits.c_str(), nullptr);
  }

  std::shared_ptr<const SourceText> source_;
};

// "Error while parsing array: encountered end-of-file" -> "encountered end-of-file, while reading array".
std::string reworded(std::string_view description) {
  constexpr std::string_view kPrefix = "Error while parsing ";
  if (!description.starts_with(kPrefix)) return std::string(description);
  description.remove_prefix(kPrefix.size());
  const auto colon = description.find(": ");
  if (colon == description.npos) return std::string(description);
  return std::string(description.substr(colon + 2)) + ", while reading " +
         std::string(description.substr(0, colon));
}

// A key that is defined twice is reported behind its value; the mistake is the key.
Span span_of_error(const SourceText& source, std::string_view description, std::size_t offset) {
  if (description.find("redefine") == description.npos) return {offset, offset};
  const auto line = source.position(offset).line;
  const auto text = source.line(line);
  const std::size_t begin = source.offset({line, 1});
  const auto first = std::min(text.find_first_not_of(" \t"), text.size());
  const auto last =
      std::min(text.find_first_of(text.substr(first).starts_with('[') ? "#" : " \t=", first), text.size());
  return {begin + first, begin + last};
}

}  // namespace

const DocumentEntry* DocumentValue::find(std::string_view key) const {
  const auto it =
      std::find_if(entries.begin(), entries.end(), [&](const auto& e) { return e.name() == key; });
  return it == entries.end() ? nullptr : &*it;
}

std::string_view describe(DocumentValue::Kind kind) {
  switch (kind) {
    case DocumentValue::Kind::boolean:
      return "true or false";
    case DocumentValue::Kind::integer:
    case DocumentValue::Kind::real:
      return "a number";
    case DocumentValue::Kind::string:
      return "a string";
    case DocumentValue::Kind::date:
      return "a date or time";
    case DocumentValue::Kind::list:
      return "a list";
    case DocumentValue::Kind::table:
      return "a table";
  }
  return "a value";
}

DocumentValue parse_document(const std::shared_ptr<const SourceText>& source) {
  const Converter converter(source);
  try {
    const toml::table table = toml::parse(std::string_view(source->text()));
    return converter.value(table);
  } catch (const toml::parse_error& error) {
    const auto description = error.description();
    const auto span = span_of_error(*source, description, converter.offset(error.source().begin));
    throw ModelError({source, span}, "not valid TOML: " + reworded(description));
  }
}

}  // namespace cotangent
