#include "cotangent/output/csv_reader.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "cotangent/base/file.hpp"
#include "cotangent/base/instantiate.hpp"
#include "cotangent/base/limits.hpp"
#include "cotangent/base/wording.hpp"

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

template <class T>
T number_in(const std::string& field, const std::filesystem::path& file, std::size_t line, const std::string& column) {
  char* end = nullptr;
  T x(0);
  parse(field.c_str(), &end, x);
  if (field.empty() || *end != '\0')
    fail(file, line, fmt::format("'{}' of column '{}' is not a number", field, column));
  return x;
}

// Lines that are not empty, of ordinary files and of bounded length: nothing else is sure to have an end.
class Lines {
 public:
  explicit Lines(const std::filesystem::path& file, bool lines_end = false)
      : file_(file), stream_(open_ordinary(file.string())), lines_end_(lines_end) {}

  std::size_t number() const { return number_; }

  bool next(std::string& line) {
    do {
      line.clear();
      if (stream_.peek() == std::ifstream::traits_type::eof()) return false;
      ++number_;
      int c = stream_.get();
      for (; c != '\n' && c != std::ifstream::traits_type::eof(); c = stream_.get()) {
        if (line.size() == kLimits.file_bytes) fail(file_, number_, "the line is too long");
        line += static_cast<char>(c);
      }
      if (lines_end_ && c != '\n') return false;
    } while (trimmed(line).empty());
    return true;
  }

 private:
  const std::filesystem::path& file_;
  std::ifstream stream_;
  bool lines_end_;
  std::size_t number_ = 0;
};

}  // namespace

template <class T>
CsvTable<T> read_csv(const std::filesystem::path& file, bool rows_end) {
  std::string text = read_text(file.string());
  if (rows_end) text.erase(text.rfind('\n') + 1);
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
      fail(file, number,
           fmt::format("{} in a table of {}", plural(fields.size(), "number"), plural(table.names.size(), "column")));
    table.lines.push_back(number);
    for (std::size_t k = 0; k < fields.size(); ++k) {
      table.columns[k].push_back(number_in<T>(fields[k], file, number, table.names[k]));
    }
  }
  if (table.names.empty()) throw std::runtime_error(fmt::format("{} is empty", file.string()));
  return table;
}

CsvTable<Quad> read_last_record(const std::filesystem::path& file, bool rows_end) {
  Lines lines(file, rows_end);
  CsvTable<Quad> table;
  std::string line, last;
  if (!lines.next(line)) throw std::runtime_error(fmt::format("{} is empty", file.string()));
  table.names = split(line);
  while (lines.next(line)) {
    last.swap(line);
    table.lines = {lines.number()};
  }
  if (table.lines.empty()) throw std::runtime_error(fmt::format("{} has no records", file.string()));
  const auto fields = split(last);
  if (fields.size() != table.names.size())
    fail(file, table.lines[0],
         fmt::format("{} in a table of {}: the last record is not whole", plural(fields.size(), "number"),
                     plural(table.names.size(), "column")));
  for (std::size_t k = 0; k < fields.size(); ++k)
    table.columns.push_back({number_in<Quad>(fields[k], file, table.lines[0], table.names[k])});
  return table;
}

CsvRows read_rows(const std::filesystem::path& file, std::int64_t most) {
  Lines lines(file);
  CsvRows rows;
  std::string line;
  while (lines.next(line)) {
    const auto fields = split(line);
    char* end = nullptr;
    Quad x(0);
    parse(fields[0].c_str(), &end, x);
    if (lines.number() == 1 && *end != '\0') continue;
    if (rows.columns == 0) rows.columns = fields.size();
    if (fields.size() != rows.columns)
      fail(file, lines.number(), fmt::format("{} after lines of {}", plural(fields.size(), "number"), rows.columns));
    if (std::cmp_greater(rows.values.size() + fields.size(), most))
      fail(file, lines.number(), fmt::format("more numbers than the {} that are needed", most));
    for (std::size_t k = 0; k < fields.size(); ++k)
      rows.values.push_back(number_in<Quad>(fields[k], file, lines.number(), std::to_string(k + 1)));
  }
  return rows;
}

#define COTANGENT_FUNCTIONS(T) template CsvTable<T> read_csv(const std::filesystem::path&, bool);
COTANGENT_FOR_PRECISIONS(COTANGENT_FUNCTIONS)

}  // namespace cotangent
