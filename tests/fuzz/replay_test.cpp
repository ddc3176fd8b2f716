#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>

#include "tests/fuzz/mutate.hpp"
#include "tests/fuzz/path.hpp"

namespace cotangent::fuzz {
namespace {

// follow_path, with the text in the message if an exception is let through.
Reached follow(const std::string& text) {
  try {
    return follow_path(text);
  } catch (const std::exception& error) {
    ADD_FAILURE() << error.what() << "\n" << text;
    return Reached::text;
  }
}

TEST(Fuzz, TheCorpusIsHandled) {
  std::array<int, 4> reached{};
  for (const auto& text : seeds()) ++reached[static_cast<std::size_t>(follow(text))];
  // Mutants reach what seeds reach.
  for (std::size_t k = 0; k < reached.size(); ++k) EXPECT_GT(reached[k], 0) << k;
}

// Without libFuzzer nothing guides the choice of mutants: these are the ones it would begin with.
class Mutants : public testing::TestWithParam<std::uint64_t> {};

TEST_P(Mutants, AreHandled) {
#ifdef __SANITIZE_ADDRESS__
  constexpr int kMutants = 1000;
#else
  constexpr int kMutants = 5000;
#endif
  const auto texts = seeds();
  std::uint64_t seed = GetParam() << 32U;
  std::array<int, 4> reached{};
  for (int k = 0; k < kMutants; ++k) {
    ++seed;
    std::string text = texts[static_cast<std::size_t>(seed * 7919 % texts.size())];
    if (k % 4 == 0) text = cross(text, texts[static_cast<std::size_t>(seed * 104729 % texts.size())], seed);
    ++reached[static_cast<std::size_t>(follow(mutate(text, seed)))];
  }
  // A good part of the mutants are still models, or they would test little.
  EXPECT_GT(reached[static_cast<std::size_t>(Reached::numbers)], kMutants / 20);
}

INSTANTIATE_TEST_SUITE_P(Fuzz, Mutants, testing::Range<std::uint64_t>(0, 4));

}  // namespace
}  // namespace cotangent::fuzz
