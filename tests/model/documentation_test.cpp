#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

#include "support.hpp"

namespace cotangent {
namespace {

TEST(Documentation, EveryCompleteExampleIsAModelWithoutNotes) {
  std::ifstream file(COTANGENT_SOURCE_DIR "/docs/model-files.md");
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const std::string open = "```toml\n", close = "```";
  int examples = 0;
  for (auto at = text.find(open); at != text.npos; at = text.find(open, at)) {
    at += open.size();
    const std::string example = text.substr(at, text.find(close, at) - at);
    if (example.find("[system]") == example.npos) continue;
    ++examples;
    try {
      const Model model = read(example);
      EXPECT_TRUE(model.notes.empty()) << model.notes[0] << "\n" << example;
    } catch (const ModelError& error) {
      ADD_FAILURE() << error.what() << "\n" << example;
    }
  }
  EXPECT_GE(examples, 10);
}

}  // namespace
}  // namespace cotangent
