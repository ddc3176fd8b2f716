#include "cotangent/run/options/option_table.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include "cotangent/run/options/plan_run.hpp"

namespace cotangent {
namespace {

std::string text_of_file(const std::string& path) {
  std::ifstream file(COTANGENT_SOURCE_DIR "/" + path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// An editor offers what the program takes.
TEST(Options, AreThoseOfTheSchema) {
  std::string schema = text_of_file("docs/model.schema.json");
  schema.erase(std::remove_if(schema.begin(), schema.end(), [](unsigned char c) { return std::isspace(c); }),
               schema.end());
  EXPECT_NE(schema.find("\"properties\":" + run_schema()), std::string::npos) << run_schema();
}

TEST(Options, AreDocumented) {
  const std::string page = text_of_file("docs/command-line.md");
  for (const Option& option : options()) EXPECT_NE(page.find("--" + option.name), std::string::npos) << option.name;
}

TEST(Options, HaveOneNameEach) {
  std::set<std::string> names;
  for (const Option& option : options()) EXPECT_TRUE(names.insert(option.name).second) << option.name;
  for (const std::string& name : later_options()) EXPECT_EQ(find_option(name), nullptr) << name;
}

// Another value than the one by default.
std::string another(const Option& option) {
  if (!option.words.empty()) {
    const auto usual = option.text(RunPlan());
    return *std::find_if(option.words.rbegin(), option.words.rend(), [&](const auto& word) { return word != usual; });
  }
  if (option.name == "method") return "gauss:2";
  if (option.name == "formulation") return "dirac";
  if (option.name == "monitor") return "energy,wedge";
  switch (option.kind) {
    case RunKind::real:
      return "0.1";
    case RunKind::integer:
      return "7";
    case RunKind::flag:
      return "true";
    case RunKind::reals:
      return "3,4.5";
    case RunKind::text:
      return "a text";
    case RunKind::list:
      return "a,b[1,2]";
  }
  return {};
}

// A plan is written and read again, each member by itself and all of them together.
TEST(Plans, AreTheSameAsTexts) {
  RunPlan all;
  for (const Option& option : options()) {
    RunPlan one;
    option.set(one, value_of(option, another(option)));
    option.set(all, value_of(option, another(option)));
    EXPECT_NE(one, RunPlan()) << option.name;
    EXPECT_EQ(option.text(one), another(option)) << option.name;
    EXPECT_EQ(words_of(one), (PlanWords{{option.name, another(option)}}));
    EXPECT_EQ(plan_of(words_of(one)), one) << option.name;
  }
  EXPECT_EQ(words_of(all).size(), options().size());
  EXPECT_EQ(plan_of(words_of(all)), all);
  EXPECT_TRUE(words_of(RunPlan()).empty());
}

TEST(Options, RefuseWordsThatThereAreNot) {
  RunPlan plan;
  for (const Option& option : options()) {
    const bool has_names = option.name == "method" || option.name == "formulation" || option.name == "monitor";
    if (option.words.empty() && !has_names) continue;
    EXPECT_THROW(option.set(plan, std::string("nonsense")), std::invalid_argument) << option.name;
  }
  EXPECT_EQ(plan, RunPlan());
}

}  // namespace
}  // namespace cotangent
