#include "cotangent/output/record/read_record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "cotangent/base/file.hpp"
#include "cotangent/base/instantiate.hpp"
#include "cotangent/output/json_reader.hpp"
#include "cotangent/output/record/array_reader.hpp"
#include "cotangent/output/record/csv_file.hpp"
#include "cotangent/output/record/record_members.hpp"

namespace cotangent {
namespace {

enum class Kind : std::uint8_t { csv, npz, hdf5 };

Kind kind_of(const std::filesystem::path& file) {
  std::string begin(4, '\0');
  try {
    open_ordinary(file.string()).read(begin.data(), 4);
  } catch (const FileError&) {
    // A pipe gives a table; of what cannot be read its reader says why.
  }
  return begin == "\x89HDF" ? Kind::hdf5 : begin == std::string("PK\3\4", 4) ? Kind::npz : Kind::csv;
}

std::int64_t product(std::span<const std::int64_t> shape) {
  return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

// "r[1,1]", "r[1,2]", ...: the last index running fastest.
std::vector<std::string> entry_names(const std::string& name, const std::vector<std::int64_t>& shape) {
  if (shape.empty()) return {name};
  std::vector<std::string> names;
  std::vector<std::int64_t> at(shape.size(), 1);
  for (std::int64_t k = 0; k < product(shape); ++k) {
    names.push_back(fmt::format("{}[{}]", name, fmt::join(at, ",")));
    for (std::size_t d = at.size(); d-- > 0;) {
      if (++at[d] <= shape[d]) break;
      at[d] = 1;
    }
  }
  return names;
}

// Files of arrays, of both kinds alike.
class Arrays {
 public:
  Arrays(const std::filesystem::path& file, Kind kind)
      : path_(file.string()), reader_(kind == Kind::hdf5 ? read_hdf5_file(file) : read_npz_file(file)) {}

  std::string text(const char* name) { return reader_->text(name); }

  /// The columns in the order of the description, the time first.
  std::vector<RecordFacts::Column> columns(const std::string& description) {
    std::map<std::string, std::vector<std::int64_t>> shapes;
    std::vector<std::string> names;
    for (const std::string& name : reader_->names()) {
      const auto shape = reader_->shape(name);
      if (shape.empty()) continue;
      shapes[name] = shape;
      names.push_back(name);
    }
    if (!shapes.contains("t")) throw std::runtime_error(fmt::format("{} has no array 't' of times", path_));
    rows_ = shapes["t"].front();
    std::vector<std::string> order{"t"};
    if (!description.empty()) {
      const JsonValue about = read_json(description);
      for (const JsonValue& column : about["columns"].items) order.push_back(column["name"].text);
    }
    std::vector<RecordFacts::Column> columns;
    const auto add = [&](const std::string& name) {
      const auto found = shapes.find(name);
      if (found == shapes.end()) return;
      columns.push_back({name, {found->second.begin() + 1, found->second.end()}});
      shapes.erase(found);
    };
    for (const std::string& name : order) add(name);
    for (const std::string& name : names) add(name);
    return columns;
  }

  std::int64_t rows() const { return rows_; }

  /// The rows from the first on, of a column.
  std::vector<double> read(const RecordFacts::Column& column, std::int64_t first, std::int64_t count) {
    return reader_->read(column.name, first, count);
  }

 private:
  std::string path_;
  std::unique_ptr<ArrayReader> reader_;
  std::int64_t rows_ = 0;
};

template <class T>
CsvTable<T> table_of(const std::filesystem::path& file, Kind kind, bool is_last) {
  Arrays arrays(file, kind);
  CsvTable<T> table;
  const auto columns = arrays.columns(arrays.text(kDescriptionMember));
  if (is_last && arrays.rows() == 0) throw std::runtime_error(fmt::format("{} has no records", file.string()));
  const std::int64_t first = is_last ? arrays.rows() - 1 : 0, count = arrays.rows() - first;
  for (const auto& column : columns) {
    const std::vector<double> numbers = arrays.read(column, first, count);
    const std::vector<std::string> names = entry_names(column.name, column.shape);
    for (std::size_t k = 0; k < names.size(); ++k) {
      table.names.push_back(names[k]);
      auto& values = table.columns.emplace_back();
      for (std::size_t row = 0; row < static_cast<std::size_t>(count); ++row)
        values.push_back(static_cast<T>(numbers[row * names.size() + k]));
    }
  }
  for (std::int64_t row = first; row < first + count; ++row) table.lines.push_back(static_cast<std::size_t>(row) + 1);
  return table;
}

// The arrays of which a table has the numbers.
std::vector<RecordFacts::Column> columns_of_names(const std::vector<std::string>& names) {
  std::vector<RecordFacts::Column> columns;
  std::int64_t count = 0;
  std::vector<std::int64_t> last;
  const auto settle = [&] {
    if (!columns.empty() && !last.empty()) columns.back().shape = product(last) == count ? last : std::vector{count};
  };
  for (const std::string& name : names) {
    const auto bracket = name.find('[');
    const std::string base = name.substr(0, bracket);
    if (columns.empty() || columns.back().name != base || bracket == name.npos) {
      settle();
      columns.push_back({base, {}});
      count = 0;
      last.clear();
    }
    if (bracket == name.npos) continue;
    ++count;
    last.clear();
    for (std::size_t at = bracket + 1; at < name.size(); at = name.find_first_of(",]", at) + 1)
      if (name[at] >= '0' && name[at] <= '9') last.push_back(std::atoll(name.c_str() + at));
  }
  settle();
  return columns;
}

// The description that lies beside a table; empty if there is none.
std::string text_beside(const std::filesystem::path& file) {
  const std::string beside = description_beside(file.string());
  try {
    static_cast<void>(open_ordinary(beside));
  } catch (const FileError&) {
    return {};
  }
  std::string text = read_text(beside, kLimits.data_bytes, "{\n");
  return text.starts_with("{\n  \"cotangent\"") ? text : std::string();
}

}  // namespace

template <class T>
CsvTable<T> read_record(const std::filesystem::path& file) {
  const Kind kind = kind_of(file);
  return kind == Kind::csv ? read_csv<T>(file, !text_beside(file).empty()) : table_of<T>(file, kind, false);
}

CsvTable<Quad> read_last_row(const std::filesystem::path& file) {
  const Kind kind = kind_of(file);
  return kind == Kind::csv ? read_last_record(file, !text_beside(file).empty()) : table_of<Quad>(file, kind, true);
}

RecordFacts record_facts(const std::filesystem::path& file) {
  RecordFacts facts;
  const Kind kind = kind_of(file);
  facts.kind = kind == Kind::csv ? "CSV" : kind == Kind::npz ? "NPZ" : "HDF5";
  if (kind == Kind::csv) {
    // Before the numbers are read: a file of another kind has none.
    std::string header;
    std::getline(open_ordinary(file.string()), header);
    std::string first = header.substr(0, header.find(','));
    std::erase_if(first, [](char c) { return c == '"' || c == ' ' || c == '\r'; });
    if (first != "t")
      throw std::runtime_error(fmt::format("{} is no record: its first column is not 't'", file.string()));
    facts.description = text_beside(file);
    const CsvTable<double> table = read_csv<double>(file, !facts.description.empty());
    facts.columns = columns_of_names(table.names);
    facts.rows = static_cast<std::int64_t>(table.columns.front().size());
    if (facts.rows > 0) facts.first = table.columns.front().front(), facts.last = table.columns.front().back();
    if (!facts.description.empty()) facts.model = read_json(facts.description)["model"]["text"].text;
    return facts;
  }
  Arrays arrays(file, kind);
  facts.description = arrays.text(kDescriptionMember);
  facts.model = arrays.text(kModelMember);
  facts.result = arrays.text(kResultMember);
  facts.columns = arrays.columns(facts.description);
  facts.rows = arrays.rows();
  if (facts.rows > 0) {
    facts.first = arrays.read({"t", {}}, 0, 1).front();
    facts.last = arrays.read({"t", {}}, facts.rows - 1, 1).front();
  }
  return facts;
}

std::string record_description(const std::filesystem::path& file) {
  try {
    const Kind kind = kind_of(file);
    return kind == Kind::csv ? text_beside(file) : Arrays(file, kind).text(kDescriptionMember);
  } catch (const std::runtime_error&) {
    return {};
  }
}

#define COTANGENT_FUNCTIONS(T) template CsvTable<T> read_record(const std::filesystem::path&);
COTANGENT_FOR_PRECISIONS(COTANGENT_FUNCTIONS)

}  // namespace cotangent
