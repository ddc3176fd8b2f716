#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <string_view>

#include "cotangent/model/reading/sections.hpp"

namespace cotangent {
namespace {

std::string schema() {
  std::ifstream file(COTANGENT_SOURCE_DIR "/docs/model.schema.json");
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// The keys of the JSON object whose '{' is the first at or after `at`.
std::set<std::string> keys(std::string_view json, std::size_t at) {
  std::set<std::string> result;
  int depth = 0;
  for (std::size_t k = json.find('{', at); k < json.size(); ++k) {
    if (json[k] == '{' || json[k] == '[') ++depth;
    if (json[k] == '}' || json[k] == ']') --depth;
    if (depth == 0) break;
    if (json[k] != '"') continue;
    std::size_t end = k + 1;
    while (json[end] != '"') end += json[end] == '\\' ? 2 : 1;
    const bool is_key = json.substr(json.find_first_not_of(" \n", end + 1)).starts_with(':');
    if (is_key && depth == 1) result.emplace(json.substr(k + 1, end - k - 1));
    k = end;
  }
  return result;
}

std::set<std::string> as_set(std::span<const std::string_view> names) { return {names.begin(), names.end()}; }

// An editor that offers a key the reader refuses, or marks one that it takes, would be worse than none.
TEST(Schema, ListsTheKeysThatTheReaderTakes) {
  const std::string json = schema();
  EXPECT_EQ(keys(json, json.find("\"properties\"")), as_set(kSections));
  EXPECT_EQ(keys(json, json.find("\"properties\"", json.find("\"system\": {"))), as_set(kSystemKeys));
}

// A name may be that of an option already: [run] has a key `gauge`.
TEST(Schema, DoesNotListWhatComesLater) {
  const std::string json = schema();
  const auto sections = keys(json, json.find("\"properties\""));
  const auto of_system = keys(json, json.find("\"properties\"", json.find("\"system\": {")));
  for (const auto name : kLaterSections) EXPECT_FALSE(sections.contains(std::string(name))) << name;
  for (const auto name : kLaterSystemKeys) EXPECT_FALSE(of_system.contains(std::string(name))) << name;
}

}  // namespace
}  // namespace cotangent
