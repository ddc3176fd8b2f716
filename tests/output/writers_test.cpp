#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <limits>
#include <memory>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>

#include "cotangent/elements/extract.hpp"
#include "cotangent/model/reader.hpp"
#include "cotangent/output/json.hpp"
#include "cotangent/output/number.hpp"
#include "cotangent/output/progress_bar.hpp"
#include "cotangent/output/record/record_writer.hpp"
#include "cotangent/output/shapes.hpp"

namespace cotangent {
namespace {

template <class T>
std::string text_of(T x) {
  std::string text;
  append_number(text, x);
  return text;
}

TEST(Number, IsTheShortestThatReadsBack) {
  EXPECT_EQ(text_of(0.1), "0.1");
  EXPECT_EQ(text_of(100.0), "100");
  EXPECT_EQ(text_of(1e-300), "1e-300");
  EXPECT_EQ(text_of(static_cast<Quad>(1) / 10), "0.1");
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> exponent(-300, 300);
  for (int k = 0; k < 1000; ++k) {
    const double x = std::pow(10.0, exponent(random));
    EXPECT_EQ(std::strtod(text_of(x).c_str(), nullptr), x);
    const Quad z = powq(10, static_cast<Quad>(exponent(random)));
    EXPECT_TRUE(strtoflt128(text_of(z).c_str(), nullptr) == z);
  }
}

TEST(Number, HasAnExponentOnlyWhereItHelps) {
  EXPECT_EQ(text_of(10.0), "10");
  EXPECT_EQ(text_of(100000.0), "100000");
  EXPECT_EQ(text_of(123456.75), "123456.75");
  EXPECT_EQ(text_of(-0.00012), "-0.00012");
  EXPECT_EQ(text_of(0.000012), "1.2e-5");
  EXPECT_EQ(text_of(1e15), "1000000000000000");
  EXPECT_EQ(text_of(1e16), "1e16");
  EXPECT_EQ(text_of(0.0), "0");
  EXPECT_EQ(text_of(-1e22), "-1e22");
  EXPECT_EQ(text_of(static_cast<Quad>(100000)), "100000");
  EXPECT_EQ(text_of(-std::numeric_limits<double>::infinity()), "-inf");
}

TEST(Json, KeepsDigitsAndEscapesText) {
  const Json json = Json::object({{"a \"b\"\n", "c\\d\te\x01"},
                                  {"n", std::int64_t{3}},
                                  {"x", 3.0},
                                  {"y", 1e5},
                                  {"quad", static_cast<Quad>(1) / 3},
                                  {"nan", std::numeric_limits<double>::quiet_NaN()},
                                  {"yes", true},
                                  {"absent", std::optional<double>()},
                                  {"list", Json::list({Json::list({1.5, 2}), Json::list({})})},
                                  {"lines", Json::long_list({Json::object({{"one", 1}}), Json::long_list({})})},
                                  {"empty", Json::object({})}});
  EXPECT_EQ(json.text(), R"({
  "a \"b\"\n": "c\\d\te\u0001",
  "n": 3,
  "x": 3.0,
  "y": 100000.0,
  "quad": 0.3333333333333333333333333333333333,
  "nan": null,
  "yes": true,
  "list": [[1.5, 2], []],
  "lines": [
    {
      "one": 1
    },
    []
  ],
  "empty": {}
})");
}

constexpr const char* kModel = R"toml(
[system]
coordinates = ["s", "r[2,2]"]
hamiltonian = "p_s^2/2 + sum(i in 1..2, (p_r[i,1]^2 + p_r[i,2]^2)/2)"
[initial]
s = 0
r = 0
p_s = 0
p_r = 0
)toml";

TEST(Json, NestsNumbersByTheirShape) {
  const std::vector<double> numbers{1, 2, 3, 4, 5, 6};
  const std::vector<std::int64_t> shape{2, 3}, none{0}, single{};
  EXPECT_EQ(Json::nested<double>(numbers, shape).text(), "[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]");
  EXPECT_EQ(Json::nested<double>({}, none).text(), "[]");
  EXPECT_EQ(Json::nested<double>(numbers, single).text(), "1.0");
}

TEST(Entries, AreReadRowByRow) {
  const Model model = read_model_text(kModel, "test.toml");
  EXPECT_EQ(entries_in_reading_order(model.coordinates[0].shape, 0), (std::vector<std::int64_t>{0}));
  EXPECT_EQ(entries_in_reading_order(model.coordinates[1].shape, 1), (std::vector<std::int64_t>{1, 3, 2, 4}));
}

class Csv : public testing::Test {
 protected:
  Csv()
      : model(read_model_text(kModel, "test.toml")),
        system(std::make_shared<const Elements>(extract_elements(model)), Backend::interpreter),
        manifold(system),
        monitors({"energy"}, manifold),
        path(
            (std::filesystem::path(testing::TempDir()) / fmt::format("cotangent_csv_test_{}.csv", getpid())).string()) {
  }
  ~Csv() override { std::filesystem::remove(path); }

  RecordWriter<double> open(const std::string& file) {
    PointColumns<double> columns(model, manifold, monitors);
    return {open_record(file, record_kind(model, file), columns.fields(), {}), std::move(columns)};
  }

  std::string contents() const {
    std::stringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }

  Model model;
  System<double> system;
  Manifold<double> manifold;
  MonitorSet<double> monitors;
  std::string path;
};

TEST_F(Csv, HasAHeaderAndALineForEachRecord) {
  PhasePoint<double> z(5);
  z.q = {0.1, 11, 21, 12, 22};
  z.p = {-1, 0, 0, 0, 2};
  z.t = 0.5;
  RecordWriter<double> writer = open(path);
  monitors.start(z);
  writer.record(z, monitors);
  writer.finish();
  EXPECT_EQ(contents(),
            "t,s,\"r[1,1]\",\"r[1,2]\",\"r[2,1]\",\"r[2,2]\",p_s,\"p_r[1,1]\",\"p_r[1,2]\",\"p_r[2,1]\",\"p_"
            "r[2,2]\","
            "energy\n0.5,0.1,11,12,21,22,-1,0,0,0,2,0\n");
}

TEST_F(Csv, IsStreamedAndKeptWithoutClosing) {
  PhasePoint<double> z(5);
  {
    RecordWriter<double> writer = open(path);
    monitors.start(z);
    for (int k = 0; k < 10000; ++k) writer.record(z, monitors);
    EXPECT_GT(std::filesystem::file_size(path), 100'000u);
  }
  const std::string text = contents();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 10001);
}

TEST_F(Csv, SaysWhenItCannotWrite) {
  EXPECT_THROW(open("/nowhere/at/all.csv"), std::runtime_error);
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP();
  PhasePoint<double> z(5);
  monitors.start(z);
  RecordWriter<double> writer = open("/dev/full");
  writer.record(z, monitors);
  EXPECT_THROW(writer.finish(), std::runtime_error);
}

TEST(ProgressLine, SaysHowFarAndHowLong) {
  EXPECT_EQ(progress_line({.step = 50, .steps = 100, .time = 5, .end = 10, .seconds = 3}),
            "[###############---------------]  50 %  t = 5 of 10  3.0 s left");
  EXPECT_NE(progress_line({.step = 1, .steps = 1000, .time = 1, .end = 10, .seconds = 10}).find("2 h 46 min left"),
            std::string::npos);
}

}  // namespace
}  // namespace cotangent
