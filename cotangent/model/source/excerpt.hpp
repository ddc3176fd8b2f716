#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "cotangent/model/source/source.hpp"

namespace cotangent {

/// A text that was written inside a source text, possibly with quotes and escapes around and inside it: the
/// text itself, and where each of its bytes stands in the source.
class Excerpt {
 public:
  Excerpt() = default;

  /// A part of the source, taken as it is.
  Excerpt(std::shared_ptr<const SourceText> source, Span span);

  /// The TOML string (basic or literal, of one line or several) whose opening quote stands at `begin`.
  /// @pre the source is valid TOML there.
  static Excerpt quoted(std::shared_ptr<const SourceText> source, std::size_t begin);

  const std::string& text() const { return text_; }
  const std::shared_ptr<const SourceText>& source() const { return source_; }

  /// Where a part of the text stands in the source; an empty part is the place before its character.
  Location locate(Span span) const;

  /// A part of the text, as one of its own.
  Excerpt part(Span span) const;

  /// The whole text, without quotes.
  Location whole() const { return locate({0, text_.size()}); }

 private:
  void append(std::string_view bytes, std::size_t offset);

  std::shared_ptr<const SourceText> source_;
  std::string text_;
  std::vector<std::size_t> offsets_;  // offset in the source of each byte of text_, and of its end
};

}  // namespace cotangent
