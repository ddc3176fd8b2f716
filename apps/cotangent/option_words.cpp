#include "option_words.hpp"

#include <algorithm>
#include <vector>

#include "cotangent/base/unknown_name.hpp"
#include "cotangent/projection/projection_policy.hpp"
#include "option_table.hpp"

using namespace cotangent;

namespace {

struct WordOption {
  std::string name;
  std::string kind;                // of the words, in refusals
  std::vector<std::string> words;  // the usual one first
};

const WordOption* find(std::string_view option) {
  static const std::vector<WordOption> all{
      {"hamiltonian", "Hamiltonian", {"given", "alternative"}},
      {"metric", "metric", {name_of(Metric::mass), name_of(Metric::euclidean)}},
      {"solver", "solver", {"auto", "functional", "newton"}},
      {"initial", "policy", {"project", "as-given"}},
      {"chart", "chart", {"partition", "qr", "svd"}},
      {"chart-update", "chart-update", {"midpoint", "hysteresis", "every-step"}},
      {"section-direction", "direction", {"up", "down", "both"}},
      {"backend", "backend", {"jit", "interpreter"}},
      {"precision", "precision", {"double", "long", "quad"}},
  };
  const auto found = std::find_if(all.begin(), all.end(), [&](const auto& each) { return each.name == option; });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace

bool has_usual_word(std::string_view option) { return find(option) != nullptr; }

std::string word_of(const RunOptions& options, std::string_view option) {
  const WordOption& known = *find(option);
  const auto given = text_of(options, *find_entry(option));
  if (!given) return known.words.front();
  options.places.blame(known.name, [&] { expect_name(known.kind, *given, known.words); });
  return *given;
}
