#pragma once

#include <memory>
#include <stdexcept>
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

/// A text that is no name at all, and where.
class MethodNameError : public std::invalid_argument {
 public:
  MethodNameError(const std::string& message, std::size_t column, std::size_t length)
      : std::invalid_argument(message), column_(column), length_(length) {}

  std::size_t column() const { return column_; }  ///< of the text, from 1
  std::size_t length() const { return length_; }

 private:
  std::size_t column_, length_;
};

/// Spaces do not count, nor do capital letters but in names of the model: those of invariants, which are the arguments
/// of `project` from the second. @throws MethodNameError
MethodName parse_method_name(std::string_view text);

/// Other names that methods go by: `verlet` is stormer-verlet:kick, `radau5` is radau-iia:3. Methods in parentheses are
/// renamed too; a name that is none of these stays what it is.
/// @throws std::invalid_argument for names of methods that there are not, or that may be two: what to use instead.
MethodName without_alias(const MethodName& name);

/// Whether all arguments of methods that begin with this word are names of invariants.
bool takes_names(std::string_view word);

std::string lower_case(std::string text);

/// The one argument of a name such as gauss:4.
/// @throws std::invalid_argument if it is missing, is no integer from `least` to `most`, or there are others.
int only_integer(const MethodName& name, int least, int most);

/// For methods that take neither arguments nor a method in parentheses.
/// @throws std::invalid_argument
void expect_plain(const MethodName& name);
/// For methods with arguments that are not made of another one. @throws std::invalid_argument
void expect_no_inner(const MethodName& name);

/// For methods made of another one. @throws std::invalid_argument
const MethodName& expect_inner(const MethodName& name);

}  // namespace cotangent
