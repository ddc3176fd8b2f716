#pragma once

#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "cotangent/base/unknown_name.hpp"
#include "cotangent/model/model.hpp"

namespace cotangent {

/// Options that make no sense, of a run that nobody has written down.
class OptionError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

/// How the options of a run were given, on a command line, in [run] of the model or in a checkpoint, so that every
/// refusal can point there.
class RunWords {
 public:
  /// How an option with a value, or without one, is spelt in messages; "step = 0.1" unless somebody says otherwise.
  using Spelling = std::string (*)(std::string_view option, std::string_view value);

  RunWords() = default;
  explicit RunWords(Spelling spelling) : spelling_(spelling) {}

  void on_command_line(const std::string& option, const std::string& text) { command_line_[option] = text; }
  void in_model(const std::string& option, const RunPlace& place) { model_[option] = place; }
  /// Was given in a run that is resumed.
  void in_checkpoint(const std::string& option) { checkpoint_.insert(option); }

  /// The text of the command line; a null pointer if there is none.
  const std::string* text(const std::string& option) const;
  bool is_on_command_line(const std::string& option) const { return text(option) != nullptr; }
  bool is_given(const std::string& option) const {
    return is_on_command_line(option) || model_.contains(option) || checkpoint_.contains(option);
  }

  /// How the user would recognise an option that was given: "step", or "'step' in [run]".
  std::string name(const std::string& option) const;
  /// How an option could be given.
  std::string spell(std::string_view option, std::string_view value = {}) const { return spelling_(option, value); }

  /// Points at the value. @param columns the part of it that is wrong, on the command line; all of it unless told.
  /// @throws ModelError, or OptionError where there is no such place
  [[noreturn]] void refuse(const std::string& option, const std::string& message, const std::string& suggestion = {},
                           std::pair<std::size_t, std::size_t> columns = {1, 0}) const;

  /// Calls f; if it refuses an argument, the option is to blame, unless something else has been blamed already.
  template <class F>
  auto blame(const std::string& option, const F& f) const {
    try {
      return f();
    } catch (const ModelError&) {
      throw;
    } catch (const OptionError&) {
      throw;
    } catch (const UnknownName& error) {
      refuse(option, error.message(), error.suggestion());
    } catch (const std::invalid_argument& error) {
      refuse(option, error.what());
    }
  }

 private:
  static std::string spell_plainly(std::string_view option, std::string_view value);

  Spelling spelling_ = spell_plainly;
  std::map<std::string, std::string> command_line_;
  std::map<std::string, RunPlace> model_;
  std::set<std::string> checkpoint_;
};

}  // namespace cotangent
