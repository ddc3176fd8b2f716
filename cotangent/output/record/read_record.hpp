#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "cotangent/output/csv_reader.hpp"

namespace cotangent {

/// The numbers of a record of whatever kind it is, as its first bytes say, with a column for each number: "r[1,2]".
/// @throws std::runtime_error with what is wrong, and the line of a table.
template <class T>
CsvTable<T> read_record(const std::filesystem::path& file);

/// The last row of it alone.
CsvTable<Quad> read_last_row(const std::filesystem::path& file);

/// What a record is, without its numbers.
struct RecordFacts {
  struct Column {
    std::string name;
    std::vector<std::int64_t> shape;  ///< of an array; empty for a number
  };
  std::string kind;                ///< "CSV", "NPZ", "HDF5"
  std::string description, model;  ///< what it says of itself; empty if it says nothing
  std::string result;              ///< of the end of the run; empty if that is not known
  std::vector<Column> columns;     ///< "t" among them
  std::int64_t rows = 0;
  double first = 0, last = 0;  ///< times; only if there are rows
};
RecordFacts record_facts(const std::filesystem::path& file);

/// What a record says of itself, without anything else being read; empty if it says nothing or is none.
std::string record_description(const std::filesystem::path& file);

}  // namespace cotangent
