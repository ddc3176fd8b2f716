#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <random>

#include "cotangent/base/unknown_name.hpp"
#include "cotangent/elements/extract.hpp"
#include "cotangent/model/reader.hpp"
#include "cotangent/output/json_reader.hpp"
#include "cotangent/output/record/read_record.hpp"
#include "cotangent/output/record/record_file.hpp"
#include "cotangent/output/record/rows_text.hpp"
#include "cotangent/output/record_table.hpp"

namespace cotangent {
namespace {

constexpr const char* kModel = R"toml(
[system]
coordinates = ["s", "r[2, 3]"]
states = ["u"]
hamiltonian = "p_s^2/2 + sum(i in 1..2, norm2(p_r[i])/2)"
[constraints]
rod = "norm2(r[1] - r[2]) = 1"
joint = { each = "i in 1..2", equation = "r[i,1] = s" }
[equations]
u = 1
[observables]
length = "2*s"
[initial]
s = 0
r = 0
p_s = 0
p_r = 0
u = 0
)toml";

Model test_model() { return read_model_text(kModel, "test.toml"); }

std::vector<std::string> names_of(const std::vector<RecordField>& fields) {
  std::vector<std::string> names;
  for (const RecordField& field : fields) names.push_back(field.name);
  return names;
}

using Names = std::vector<std::string>;

class RecordTables : public testing::Test {
 protected:
  Model model = test_model();
  Elements elements = extract_elements(model);
  RecordTable table{model, elements, {"energy", "invariants.L"}};
};

TEST_F(RecordTables, UsualColumnsAreThoseOfAPointAndWhatIsMonitored) {
  EXPECT_EQ(names_of(table.usual()), (Names{"s", "r", "p_s", "p_r", "u", "length", "energy", "invariants.L"}));
  EXPECT_EQ(table.usual()[1].columns, (Names{"r[1,1]", "r[1,2]", "r[1,3]", "r[2,1]", "r[2,2]", "r[2,3]"}));
  EXPECT_EQ(table.usual()[1].places, (std::vector<std::int64_t>{1, 3, 5, 2, 4, 6}));  // the first index is stored first
  EXPECT_EQ(table.usual()[1].shape, (std::vector<std::int64_t>{2, 3}));
}

TEST_F(RecordTables, NamesAndWordsChooseColumnsInTheirOrderAndOnce) {
  EXPECT_EQ(names_of(table.choose({"hamiltonian", "velocities", "v_s", "multipliers"})),
            (Names{"hamiltonian", "v_s", "v_r", "lambda_rod", "lambda_joint"}));
  EXPECT_EQ(names_of(table.choose({"residuals"})), (Names{"g_rod", "g_joint", "psi_rod", "psi_joint"}));
  EXPECT_EQ(names_of(table.choose({"p", "q"})), (Names{"p_s", "p_r", "s", "r"}));
  EXPECT_EQ(names_of(table.choose({"s"})), Names{"s"});  // a coordinate, not all states
  EXPECT_EQ(names_of(table.choose({"monitors"})), (Names{"energy", "invariants.L"}));
}

TEST_F(RecordTables, WhatIsMonitoredPartByPartHasTheNamesOfColumns) {
  const RecordTable watched(model, elements, {"position", "g.rod", "g.joint[1]", "g.joint[2]", "impetuses.s"});
  EXPECT_EQ(names_of(watched.choose({"monitors"})), (Names{"position", "g_rod", "g_joint", "p_star_s"}));
  EXPECT_EQ(names_of(watched.usual()),
            (Names{"s", "r", "p_s", "p_r", "u", "length", "position", "g_rod", "g_joint", "p_star_s"}));
  EXPECT_EQ(names_of(watched.choose({"g.rod", "g.joint[2]", "psi.rod", "impetuses.s", "g_rod"})),
            (Names{"g_rod", "g_joint[2]", "psi_rod", "p_star_s"}));
  EXPECT_EQ(watched.signals({"g.rod"})[0].part, RecordPart::g);
  EXPECT_EQ(watched.usual()[9].part, RecordPart::signal);
}

TEST_F(RecordTables, ANumberOfAnArrayIsAColumn) {
  const auto fields = table.choose({"v_r[2, 1]", "lambda_joint[2]"});
  EXPECT_EQ(names_of(fields), (Names{"v_r[2,1]", "lambda_joint[2]"}));
  EXPECT_EQ(fields[0].places, std::vector<std::int64_t>{2});
  EXPECT_EQ(fields[1].places, std::vector<std::int64_t>{2});
  EXPECT_TRUE(fields[0].shape.empty());
}

TEST_F(RecordTables, UnknownNamesAreRefusedWithWhatThereIs) {
  EXPECT_THROW(table.choose({"r[3,1]"}), UnknownName);
  EXPECT_THROW(table.choose({"impetus"}), UnknownName);  // of another formulation
  try {
    table.choose({"hamiltonain"});
    FAIL();
  } catch (const UnknownName& error) {
    EXPECT_EQ(error.suggestion(), "did you mean 'hamiltonian'?");
  }
}

TEST_F(RecordTables, ImpetusAndChartsHaveColumnsOfTheirOwn) {
  const RecordTable impetus(model, elements, {}, {.first = "", .second = "", .size = 0, .has_impetus = true});
  EXPECT_EQ(names_of(impetus.choose({"impetus"})), (Names{"p_star_s", "p_star_r", "striction_rod", "striction_joint"}));
  const RecordTable chart(model, elements, {}, {.first = "delta", .second = "theta", .size = 4, .has_impetus = false});
  EXPECT_EQ(names_of(chart.choose({"chart"})), (Names{"delta", "theta"}));
  EXPECT_EQ(chart.choose({"theta"})[0].columns, (Names{"theta[1]", "theta[2]", "theta[3]", "theta[4]"}));
}

// A file of each kind.
class RecordFiles : public testing::TestWithParam<const char*> {
 protected:
  RecordFiles()
      : path((std::filesystem::path(testing::TempDir()) / fmt::format("cotangent_record_{}{}", getpid(), GetParam()))
                 .string()) {
    clear();
  }
  ~RecordFiles() override { clear(); }

  void clear() {
    for (const char* more : {"", ".json"}) std::filesystem::remove(path + more);
  }

  std::unique_ptr<RecordFile> open(const std::optional<WrittenPart>& after = {}) {
    return open_record(path, record_kind(model, path), fields, about, {.compression = compression}, after);
  }

  // All but the time: numbers that look like nothing.
  std::vector<double> row(std::size_t k) const {
    std::vector<double> numbers{static_cast<double>(k) / 8};
    std::mt19937_64 random(k);
    std::uniform_real_distribution<double> any(-1e3, 1e3);
    for (const RecordField& field : fields)
      for (std::size_t j = 0; j < field.size(); ++j) numbers.push_back(any(random));
    return numbers;
  }

  void add(RecordFile& file, std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) file.add(std::span<const double>(row(k)));
  }

  void expect_rows(std::size_t count) {
    const auto table = read_record<double>(path);
    ASSERT_EQ(table.columns.front().size(), count);
    for (const std::size_t k : {std::size_t{0}, count / 2, count - 1}) {
      const std::vector<double> expected = row(k);
      ASSERT_EQ(table.columns.size(), expected.size());
      for (std::size_t j = 0; j < expected.size(); ++j) EXPECT_EQ(table.columns[j][k], expected[j]) << k << ' ' << j;
    }
  }

  Model model = test_model();
  Elements elements = extract_elements(model);
  std::vector<RecordField> fields = RecordTable(model, elements, {"energy"}).choose({"q", "energy", "lambda_joint"});
  RecordAbout about{
      .description =
          "{\n  \"cotangent\": \"1\",\n  \"variables\": [\"s\", \"r[2,3]\", \"u\"],\n  \"columns\": [{\"name\": "
          "\"t\"}, {\"name\": \"s\"}, {\"name\": \"r\"}, {\"name\": \"energy\"}]\n}",
      .model = kModel,
      .variables = {}};
  std::string path;
  int compression = 1;
};

TEST_P(RecordFiles, ReadBackToTheBit) {
  const auto file = open();
  add(*file, 0, 5000);  // more than a chunk
  file->finish();
  expect_rows(5000);
  const auto last = read_last_row(path);
  EXPECT_EQ(last.names, (Names{"t", "s", "r[1,1]", "r[1,2]", "r[1,3]", "r[2,1]", "r[2,2]", "r[2,3]", "energy",
                               "lambda_joint[1]", "lambda_joint[2]"}));
  EXPECT_EQ(static_cast<double>(last.columns[3][0]), row(4999)[3]);
}

TEST_P(RecordFiles, GoOnFromAnyPartAsIfTheyHadNeverStopped) {
  for (const std::size_t kept : {1, 4096, 5000}) {
    clear();
    WrittenPart part;
    {
      const auto file = open();
      add(*file, 0, kept);
      file->flush();
      part = file->written();
      EXPECT_EQ(part.rest, "");
      add(*file, kept, kept + 300);  // rows after the checkpoint are made again
      file->finish();
    }
    {
      const auto file = open(part);
      add(*file, kept, kept + 100);
      file->finish();
    }
    expect_rows(kept + 100);
  }
}

TEST_P(RecordFiles, AreNotGoneOnWithIfTheyAreOthers) {
  WrittenPart part;
  {
    const auto file = open();
    add(*file, 0, 10);
    file->flush();
    part = file->written();
    file->finish();
  }
  part.fingerprint.back() = part.fingerprint.back() == '0' ? '1' : '0';
  EXPECT_THROW(open(part), std::runtime_error);
  clear();
  EXPECT_THROW(open(part), std::runtime_error);
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST_P(RecordFiles, SayWhatTheyAreAndHowItEnded) {
  const auto file = open();
  add(*file, 0, 3);
  file->finish();
  file->conclude("{\n  \"status\": \"done\"\n}");
  const RecordFacts facts = record_facts(path);
  EXPECT_EQ(facts.rows, 3);
  EXPECT_EQ(facts.first, 0);
  EXPECT_EQ(facts.last, 0.25);
  ASSERT_GE(facts.columns.size(), 3u);
  EXPECT_EQ(facts.columns[2].name, "r");
  EXPECT_EQ(facts.columns[2].shape, (std::vector<std::int64_t>{2, 3}));
  const JsonValue about_it = read_json(facts.description);
  const JsonValue result = facts.result.empty() ? about_it["result"] : read_json(facts.result);
  EXPECT_EQ(result["status"].text, "done");
  EXPECT_EQ(about_it["cotangent"].text, "1");
}

TEST_P(RecordFiles, ReplaceRecordsOfSuchAModelAndNothingElse) {
  {
    const auto file = open();
    add(*file, 0, 3);
    file->finish();
  }
  {
    const auto file = open();  // its own kind
    add(*file, 0, 2);
    file->finish();
  }
  expect_rows(2);
  std::ofstream(path) << "mine";  // beside a description that was left behind
  EXPECT_THROW(open(), std::runtime_error);
  std::string text;
  std::ifstream(path) >> text;
  EXPECT_EQ(text, "mine");
}

TEST_P(RecordFiles, AreRefusedWhileAnotherRunWritesThem) {
  const auto file = open();
  EXPECT_THROW(open(), std::runtime_error);
}

INSTANTIATE_TEST_SUITE_P(Kinds, RecordFiles, testing::Values(".csv", ".npz", ".h5"),
                         [](const auto& kind) { return std::string(kind.param).substr(1); });

TEST_P(RecordFiles, AreTheSameWithoutCompression) {
  compression = 0;
  const auto file = open();
  add(*file, 0, 5000);
  file->finish();
  expect_rows(5000);
}

TEST(RowsText, KeepsBits) {
  const std::vector<double> numbers{0.1, -0.0, 1e-310, -std::numeric_limits<double>::infinity(), 3};
  EXPECT_EQ(rows_of_text(rows_text(numbers)), numbers);
  EXPECT_TRUE(std::signbit(rows_of_text(rows_text(numbers))[1]));
}

TEST(JsonReader, ReadsWhatIsWrittenAndRefusesWhatIsNone) {
  const JsonValue value = read_json(R"({"a": [1, -2.5e3, true, null], "b": {"c": "x\n\"\u00e9"}, "d": {}})");
  EXPECT_EQ(value["a"].items[1].number(), -2500);
  EXPECT_TRUE(value["a"].items[2].truth);
  EXPECT_EQ(value["b"]["c"].text, "x\n\"\xc3\xa9");
  EXPECT_EQ(value["nothing"].kind, JsonValue::Kind::null);
  for (const char* wrong : {"", "{", "[1,]", "{\"a\" 1}", "[1] 2", "\"a", "tru"})
    EXPECT_THROW(read_json(wrong), std::runtime_error) << wrong;
  EXPECT_THROW(read_json(std::string(100000, '[')), std::runtime_error);
}

}  // namespace
}  // namespace cotangent
