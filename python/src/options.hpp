#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cotangent/run/options/run_words.hpp"

/// Options of a run as Python gives them: names of the option table with their texts.
using OptionTexts = std::vector<std::pair<std::string, std::string>>;

/// How options are spelt in Python: "project_every=10".
cotangent::RunWords::Spelling spelling_of_python();

/// Whether this is how an option is spelt.
bool is_option_of_python(const std::string& name);

/// @throws cotangent::UnknownName for an option that there is not.
cotangent::RunWords words_of_python(const OptionTexts& options);
