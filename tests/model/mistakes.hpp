#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support.hpp"

namespace cotangent {

/// A text with its first `from` replaced.
inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

/// A change to a model that makes it wrong, and what is said of it where.
struct Mistake {
  const char* from;
  const char* to;
  std::size_t line, column;
  const char* message;
  const char* suggestion;
};

/// Of [run], for the mistakes in it.
inline const RunKey kRunKeys[]{{"step", RunKind::real}, {"every", RunKind::integer}};

inline void expect_reported(const std::string& model, const std::vector<Mistake>& mistakes) {
  for (const auto& [from, to, line, column, message, suggestion] : mistakes) {
    try {
      static_cast<void>(read_model_text(replaced(model, from, to), "test.toml", {}, kRunKeys));
      ADD_FAILURE() << "accepted: " << to;
    } catch (const ModelError& error) {
      EXPECT_EQ(error.file(), "test.toml");
      EXPECT_EQ(error.line(), line) << error.what();
      EXPECT_EQ(error.column(), column) << error.what();
      EXPECT_NE(error.message().find(message), std::string::npos) << error.what();
      EXPECT_NE(error.suggestion().find(suggestion), std::string::npos) << error.what();
    }
  }
}

}  // namespace cotangent
