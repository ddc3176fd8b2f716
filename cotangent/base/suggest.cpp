#include "cotangent/base/suggest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "cotangent/base/limits.hpp"
#include "cotangent/base/unknown_name.hpp"

namespace cotangent {
namespace {

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return lower;
}

// Optimal string alignment, three rows at a time.
int exact_distance(std::string_view a, std::string_view b) {
  std::vector<int> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = static_cast<int>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const int replace = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({replace, last[j] + 1, row[j - 1] + 1});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

// How far apart in the alphabet the first letters are that differ; 0 where one name begins the other.
int letter_gap(std::string_view a, std::string_view b) {
  const auto [x, y] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  return x == a.end() || y == b.end() ? 0 : std::abs(*x - *y);
}

}  // namespace

int edit_distance(std::string_view a, std::string_view b) {
  if (a == b) return 0;
  return std::min(exact_distance(a, b), 1 + exact_distance(lower_case(a), lower_case(b)));
}

std::string closest_name(std::string_view name, std::span<const std::string> candidates) {
  if (name.size() > kLimits.name_bytes) return {};
  // One change in a short name, about one in three characters of a long one.
  const int allowed = std::max(1, static_cast<int>(name.size()) / 3);
  const std::string* best = nullptr;
  int best_distance = allowed + 1;
  int best_gap = 0;
  for (const auto& candidate : candidates) {
    if (candidate.size() > kLimits.name_bytes) continue;
    const int distance = edit_distance(name, candidate);
    // A name of one letter is near every other one: nothing is meant by that, except by its other case.
    const bool all_changed = distance >= static_cast<int>(std::max(name.size(), candidate.size()));
    if (all_changed && lower_case(name) != lower_case(candidate)) continue;
    // p_z is nearer to p_y than to p_x; another case is nearest.
    const int gap = letter_gap(lower_case(name), lower_case(candidate));
    if (distance < best_distance || (distance == best_distance && best && gap < best_gap)) {
      best = &candidate;
      best_distance = distance;
      best_gap = gap;
    }
  }
  return best ? *best : std::string();
}

std::string did_you_mean(std::string_view name, std::span<const std::string> candidates) {
  const std::string best = closest_name(name, candidates);
  return best.empty() ? std::string() : fmt::format("did you mean '{}'?", best);
}

static std::string nearest_or_all(std::string_view name, std::span<const std::string> names) {
  const std::string hint = did_you_mean(name, names);
  return hint.empty() ? fmt::format("choose {}", fmt::join(names, ", ")) : hint;
}

UnknownName::UnknownName(std::string_view kind, std::string_view name, std::span<const std::string> names)
    : UnknownName(fmt::format("there is no {} '{}'", kind, name), nearest_or_all(name, names)) {}

UnknownName::UnknownName(std::string message, std::string suggestion)
    : std::invalid_argument(message + "; " + suggestion),
      message_(std::move(message)),
      suggestion_(std::move(suggestion)) {}

void expect_name(std::string_view kind, std::string_view name, std::span<const std::string> names) {
  if (std::find(names.begin(), names.end(), name) == names.end()) throw UnknownName(kind, name, names);
}

}  // namespace cotangent
