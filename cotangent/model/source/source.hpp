#pragma once

#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace cotangent {

/// A half-open range of bytes of some text.
struct Span {
  std::size_t begin = 0;
  std::size_t end = 0;

  std::size_t length() const { return end - begin; }
};

/// What an error message points into: a file (or one argument of the command line) and its text.
class SourceText {
 public:
  /// Lines and columns count from 1; a column is one character (code point), not one byte.
  struct Position {
    std::size_t line = 1;
    std::size_t column = 1;
  };

  /// A byte order mark at the beginning is dropped.
  SourceText(std::string file, std::string text);

  const std::string& file() const { return file_; }
  const std::string& text() const { return text_; }

  /// An offset beyond the end is taken as the end.
  Position position(std::size_t offset) const;

  /// The inverse of position(); a position beyond the end of a line is taken as its end.
  std::size_t offset(Position position) const;

  /// A line without its end. @pre 1 <= line <= number of lines.
  std::string_view line(std::size_t line) const;

 private:
  /// Number of characters in [begin, end).
  std::size_t characters(std::size_t begin, std::size_t end) const;

  std::string file_;
  std::string text_;
  std::vector<std::size_t> line_begins_;
  std::vector<std::size_t> continuations_;  // bytes that continue a character, in order
};

/// A place in a source text.
struct Location {
  std::shared_ptr<const SourceText> source;
  Span span;
};

/// "file:line:column" of the beginning of a place.
std::string to_string(const Location& where);

/// A model that is refused: where, why, and what was probably meant. what() is laid out like the message of a
/// compiler, with the line quoted and the offending text underlined.
class ModelError : public std::invalid_argument {
 public:
  ModelError(const Location& where, std::string message, std::string suggestion = {});

  /// A mistake that has no place in a text (the file cannot be read).
  ModelError(std::string file, std::string message, std::string suggestion = {});

  const std::string& file() const { return file_; }
  std::size_t line() const { return position_.line; }      ///< 0 if there is no place
  std::size_t column() const { return position_.column; }  ///< 0 if there is no place
  std::size_t length() const { return length_; }           ///< characters underlined
  const std::string& message() const { return message_; }
  const std::string& suggestion() const { return suggestion_; }  ///< a sentence, or empty

 private:
  std::string file_;
  SourceText::Position position_;
  std::size_t length_ = 0;
  std::string message_;
  std::string suggestion_;
};

}  // namespace cotangent
