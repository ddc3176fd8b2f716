#include "cotangent/output/csv_reader.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace cotangent {
namespace {

class CsvReader : public testing::Test {
 protected:
  ~CsvReader() override { std::filesystem::remove(path); }

  void write(const std::string& text) const { std::ofstream(path) << text; }

  std::string refusal() const {
    try {
      static_cast<void>(read_csv<double>(path));
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "";
  }

  std::filesystem::path path =
      std::filesystem::path(testing::TempDir()) / fmt::format("cotangent_csv_reader_test_{}.csv", getpid());
};

TEST_F(CsvReader, ReadsWhatTheWriterWrites) {
  write("t,x,\"r[1,2]\"\n0,0.1,1e-300\n0.5,-2,nan\n");
  const auto table = read_csv<double>(path);
  EXPECT_EQ(table.names, (std::vector<std::string>{"t", "x", "r[1,2]"}));
  ASSERT_EQ(table.columns.size(), 3U);
  EXPECT_EQ(table.columns[0], (std::vector{0.0, 0.5}));
  EXPECT_EQ(table.columns[1], (std::vector{0.1, -2.0}));
  EXPECT_EQ(table.columns[2][0], 1e-300);
  EXPECT_TRUE(std::isnan(table.columns[2][1]));
}

TEST_F(CsvReader, KeepsTheDigitsOfEveryPrecision) {
  write("x\n0.1\n");
  EXPECT_EQ(read_csv<double>(path).columns[0][0], 0.1);
  EXPECT_TRUE(read_csv<Quad>(path).columns[0][0] == Quad(1) / Quad(10));
}

TEST_F(CsvReader, OverlooksSpaceAndEmptyLines) {
  write(" t , x \r\n\r\n 0 , 1 \r\n\n1,2");
  const auto table = read_csv<double>(path);
  EXPECT_EQ(table.names, (std::vector<std::string>{"t", "x"}));
  EXPECT_EQ(table.columns[1], (std::vector{1.0, 2.0}));
}

TEST_F(CsvReader, SaysWhatIsWrongAndWhere) {
  EXPECT_NE(refusal().find("cannot read"), std::string::npos);
  write("");
  EXPECT_NE(refusal().find("is empty"), std::string::npos);
  write("t,x\n0,1\n\n1\n");
  EXPECT_NE(refusal().find("line 4: 1 number in a table of 2 columns"), std::string::npos) << refusal();
  write("t,x\n0,1e\n");
  EXPECT_NE(refusal().find("line 2: '1e' of column 'x' is not a number"), std::string::npos) << refusal();
  write("t,x\n0,\n");
  EXPECT_NE(refusal().find("line 2: '' of column 'x'"), std::string::npos) << refusal();
}

}  // namespace
}  // namespace cotangent
