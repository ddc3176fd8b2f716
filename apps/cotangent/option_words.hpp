#pragma once

#include <string>
#include <string_view>

#include "run_options.hpp"

/// Whether an option is one of a few words, and one of them is meant where it is not given.
bool has_usual_word(std::string_view option);

/// The word that was given, or the usual one. @pre has_usual_word(option)
/// @throws cotangent::ModelError for another word, with what was probably meant.
std::string word_of(const RunOptions& options, std::string_view option);
