#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace cotangent {

/// The name of a method as users write it, with what it is made for and of:
///
///   rattle    gauss:4    forest-ruth:kick    compose:6(rattle)    symmetric(gauss:2)
struct MethodName {
  std::string word;
  std::vector<std::string> arguments;       ///< what stands between colons
  std::shared_ptr<const MethodName> inner;  ///< what stands in parentheses, if anything

  /// As it would be written.
  std::string text() const;
};

/// @throws std::invalid_argument if the text is no name at all.
MethodName parse_method_name(std::string_view text);

/// The one argument of a name such as gauss:4.
/// @throws std::invalid_argument if it is missing, is no integer from `least` to `most`, or there are others.
int only_integer(const MethodName& name, int least, int most);

/// For methods that take neither arguments nor a method in parentheses.
/// @throws std::invalid_argument
void expect_plain(const MethodName& name);

/// For methods made of another one. @throws std::invalid_argument
const MethodName& expect_inner(const MethodName& name);

}  // namespace cotangent
