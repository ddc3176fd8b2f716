#pragma once

#include <string>
#include <string_view>

// All that the program says. Records and checkpoints are files, see cotangent/base/file.hpp.

/// Standard output cannot be written. Ends the program with kFailed.
class OutputError {
 public:
  explicit OutputError(int reason) : reason_(reason) {}

  /// Empty where the reader has left, as `head` does: it has read what it wanted to.
  std::string message() const;

 private:
  int reason_;  // as errno has it
};

/// Takes care that no file is opened in the place of a stream that is closed: messages would be written into it.
void occupy_streams();

/// Writes what was asked for to standard output. @throws OutputError
void print(std::string_view text);

/// Writes a note, a warning or an error to standard error, whatever names and texts of the user are in it: see
/// printable(). If standard error is closed or full nobody listens: it is not an error.
void say(std::string_view text) noexcept;

/// Shows on a terminal, in the place of what was shown last, how far something is; an empty text clears the line.
void show_progress(std::string_view text = {});
