#include "cotangent/output/wrapped.hpp"

#include <algorithm>

namespace cotangent {

std::string wrapped(std::string_view text, std::size_t indent) {
  constexpr std::size_t kColumns = 100;
  std::string result;
  std::size_t column = indent;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    const std::string_view word = text.substr(begin, end - begin);
    if (column > indent && column + 1 + word.size() > kColumns) {
      result += '\n';
      result.append(indent, ' ');
      column = indent;
    } else if (column > indent) {
      result += ' ';
      ++column;
    }
    result += word;
    column += word.size();
    begin = end + 1;
  }
  return result + '\n';
}

}  // namespace cotangent
