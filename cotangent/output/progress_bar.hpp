#pragma once

#include <cstdio>
#include <string>

#include "cotangent/simulation/simulate.hpp"

namespace cotangent {

/// One line of progress: "[#########-----------]  45 %  t = 45 of 100  3.2 s left".
std::string progress_line(const Progress& progress);

/// Draws that line over and over on a terminal, and removes it at the end.
class ProgressBar {
 public:
  explicit ProgressBar(std::FILE* terminal) : terminal_(terminal) {}
  ~ProgressBar() { clear(); }
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  void draw(const Progress& progress);
  void clear();

 private:
  std::FILE* terminal_;
  bool drawn_ = false;
};

/// Whether a stream is a terminal, not a pipe or a file.
bool is_terminal(std::FILE* stream);

/// Its columns; 80 where they are not known.
int terminal_width(std::FILE* stream);

}  // namespace cotangent
