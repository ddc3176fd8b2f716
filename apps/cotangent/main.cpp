// The program: errors and exit statuses.

#include <fmt/format.h>

#include "commands.hpp"
#include "cotangent/base/interruption.hpp"
#include "cotangent/model/source/source.hpp"
#include "messages.hpp"
#include "signals.hpp"

int main(int argc, char** argv) {
  const auto fail = [](ExitStatus status, const std::string& message) {
    if (!message.empty()) say(message + '\n');
    return status;
  };
  occupy_streams();
  take_write_errors();
  try {
    return read_command_line(argc, argv)();
  } catch (const OutputError& error) {
    return fail(kFailed, error.message().empty() ? "" : "error: " + error.message());
  } catch (const cotangent::ModelError& error) {
    return fail(kInputWrong, with_flags(error.what()));
  } catch (const std::invalid_argument& error) {
    return fail(kInputWrong, "error: " + with_flags(error.what()));
  } catch (const cotangent::Interrupted&) {
    return fail(kFailed, "interrupted before the first step");
  } catch (const std::bad_alloc&) {
    return fail(kInputWrong, "error: there is not enough memory for this model");
  } catch (const std::exception& error) {
    return fail(kFailed, "error: " + with_flags(error.what()));
  }
}
