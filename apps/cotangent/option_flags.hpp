#pragma once

#include <string>
#include <string_view>

/// An option of the command line, with a value or without: "--step 0.1".
std::string flag(std::string_view option, std::string_view value = {});

/// What the library says of options, `step = 0.1` or `json`, as flags of the command line.
std::string with_flags(const std::string& text);
