#pragma once

#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>

#include "cotangent/base/unknown_name.hpp"
#include "cotangent/model/model.hpp"

/// Where each option of a run was given, on the command line or in [run] of the model, so that every refusal can
/// point there.
class OptionPlaces {
 public:
  void on_command_line(const std::string& option, const std::string& text);

  void in_model(const std::string& option, const cotangent::RunPlace& place);

  /// Was given in a run that is resumed.
  void in_checkpoint(const std::string& option) { checkpoint_.insert(option); }

  bool is_on_command_line(const std::string& option) const;

  /// How the user would recognise the option: "--step", or "'step' in [run]".
  std::string name(const std::string& option) const;

  /// Points at the value. @param columns the part of it that is wrong, on the command line; all of it unless told.
  /// @throws cotangent::ModelError
  [[noreturn]] void refuse(const std::string& option, const std::string& message, const std::string& suggestion = {},
                           std::pair<std::size_t, std::size_t> columns = {1, 0}) const;

  /// For a key of [run] that is no option. @throws cotangent::ModelError
  [[noreturn]] void refuse_key(const std::string& key, const std::string& message,
                               const std::string& suggestion = {}) const;

  /// Calls f; if it refuses an argument, the option is to blame, unless something else has been blamed already.
  template <class F>
  auto blame(const std::string& option, const F& f) const {
    try {
      return f();
    } catch (const cotangent::ModelError&) {
      throw;
    } catch (const cotangent::UnknownName& error) {
      refuse(option, error.message(), error.suggestion());
    } catch (const std::invalid_argument& error) {
      refuse(option, error.what());
    }
  }

 private:
  std::map<std::string, std::string> command_line_;  // the text that was given
  std::map<std::string, cotangent::RunPlace> model_;
  std::set<std::string> checkpoint_;
};
