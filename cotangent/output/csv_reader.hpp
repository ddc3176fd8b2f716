#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "cotangent/base/scalar.hpp"

namespace cotangent {

/// A table of numbers: all columns are of one length.
template <class T>
struct CsvTable {
  std::vector<std::string> names;
  std::vector<std::vector<T>> columns;  ///< by names
  std::vector<std::size_t> lines;       ///< of the file, from 1, in which the numbers stand
};

/// Reads a table as CsvFile writes it: a line with names, those with commas in quotes, then lines of numbers, `nan`
/// and `inf` among them. Numbers are rounded once, to T. Empty lines, spaces and returns at ends of lines do not
/// matter.
/// @param rows_end with a line feed: what follows the last one is the beginning of a row whose writer was killed, and
/// is passed over.
/// @throws std::runtime_error with the line that is wrong, or FileError.
template <class T>
CsvTable<T> read_csv(const std::filesystem::path& file, bool rows_end = false);

/// The names and the last line of numbers of such a table; `lines` has one.
/// @throws std::runtime_error with the line that is wrong, or FileError.
CsvTable<Quad> read_last_record(const std::filesystem::path& file, bool rows_end = false);

/// Lines of numbers, as many in each; a first line of names is passed over.
struct CsvRows {
  std::size_t columns = 0;
  std::vector<Quad> values;  ///< line by line
};

/// @param most numbers that are read; no more memory is taken than for these.
/// @throws std::runtime_error with the line that is wrong, or FileError.
CsvRows read_rows(const std::filesystem::path& file, std::int64_t most);

}  // namespace cotangent
