#include "cotangent/output/csv_reader.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <stdexcept>
#include <string_view>

#include "cotangent/base/file.hpp"
#include "cotangent/base/instantiate.hpp"

namespace cotangent {
namespace {

[[noreturn]] void fail(const std::filesystem::path& file, std::size_t line, std::string_view message) {
  throw std::runtime_error(fmt::format("{}, line {}: {}", file.string(), line, message));
}

void parse(const char* text, char** end, double& x) { x = std::strtod(text, end); }
void parse(const char* text, char** end, Quad& x) { x = strtoflt128(text, end); }

std::string trimmed(const std::string& text) {
  constexpr const char* kSpace = " \t\r";
  const auto begin = text.find_first_not_of(kSpace);
  return begin == text.npos ? "" : text.substr(begin, text.find_last_not_of(kSpace) + 1 - begin);
}

// Fields between commas; a quote inside quotes is written twice.
std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> fields(1);
  bool is_quoted = false;
  for (const char c : line) {
    if (c == '"') {
      is_quoted = !is_quoted;
    } else if (c == ',' && !is_quoted) {
      fields.emplace_back();
    } else {
      fields.back() += c;
    }
  }
  for (auto& field : fields) field = trimmed(field);
  return fields;
}

}  // namespace

template <class T>
CsvTable<T> read_csv(const std::filesystem::path& file) {
  const std::string text = read_text(file.string());
  CsvTable<T> table;
  std::string line;
  std::size_t number = 0;
  for (std::size_t at = 0; at < text.size(); at += line.size() + 1) {
    line = text.substr(at, text.find('\n', at) - at);
    ++number;
    if (trimmed(line).empty()) continue;
    auto fields = split(line);
    if (table.names.empty()) {
      table.names = std::move(fields);
      table.columns.resize(table.names.size());
      continue;
    }
    if (fields.size() != table.names.size())
      fail(file, number, fmt::format("{} numbers where there are {} columns", fields.size(), table.names.size()));
    table.lines.push_back(number);
    for (std::size_t k = 0; k < fields.size(); ++k) {
      char* end = nullptr;
      T x(0);
      parse(fields[k].c_str(), &end, x);
      if (fields[k].empty() || *end != '\0')
        fail(file, number, fmt::format("'{}' of column '{}' is not a number", fields[k], table.names[k]));
      table.columns[k].push_back(x);
    }
  }
  if (table.names.empty()) throw std::runtime_error(fmt::format("{} is empty", file.string()));
  return table;
}

#define COTANGENT_FUNCTIONS(T) template CsvTable<T> read_csv(const std::filesystem::path&);
COTANGENT_FOR_PRECISIONS(COTANGENT_FUNCTIONS)

}  // namespace cotangent
