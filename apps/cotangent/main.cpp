// The program: errors and exit statuses.

#include <fmt/format.h>

#include "commands.hpp"
#include "cotangent/model/source/source.hpp"

int main(int argc, char** argv) {
  const std::function<int()> command = read_command_line(argc, argv);
  try {
    return command();
  } catch (const cotangent::ModelError& error) {
    fmt::print(stderr, "{}\n", with_flags(error.what()));
    return kInputWrong;
  } catch (const std::invalid_argument& error) {
    fmt::print(stderr, "error: {}\n", with_flags(error.what()));
    return kInputWrong;
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "error: there is not enough memory for this model\n");
    return kInputWrong;
  } catch (const std::exception& error) {
    fmt::print(stderr, "error: {}\n", with_flags(error.what()));
    return kFailed;
  }
}
