#include "cotangent/monitor/discovery/momentum_candidates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace cotangent {
namespace {

constexpr std::array<const char*, 3> kAxes{"x", "y", "z"};

/// One component of the points of a group: its entries in q, and how an expression calls one of them.
struct Component {
  int axis;                           // 0, 1, 2
  std::vector<std::int64_t> entries;  // one for each point, in the same order for each component
  std::string coordinate;             // "r"
  std::string indices;                // "[i,2]", or nothing
};

struct PointGroup {
  std::vector<std::int64_t> shape;  // of the points: loops of its expressions
  std::vector<Component> components;
  bool can_shift = true;
};

// i, j, k, ...
char index_name(std::size_t d) { return static_cast<char>('i' + d); }

std::string loops(const std::vector<std::int64_t>& shape) {
  std::string text;
  for (std::size_t d = 0; d < shape.size(); ++d)
    text += fmt::format("{}{} in 1..{}", d > 0 ? ", " : "", index_name(d), shape[d]);
  return text;
}

std::string summed(const std::vector<std::int64_t>& shape, const std::string& term) {
  return shape.empty() ? term : fmt::format("sum({}, {})", loops(shape), term);
}

// "[i,2,j]": the indices of the points, and the component at its place.
std::string index_text(std::size_t rank, std::optional<std::size_t> component_at, int component) {
  std::string text;
  std::size_t loop = 0;
  for (std::size_t d = 0; d < rank; ++d) {
    text += d > 0 ? "," : "";
    text += component_at == d ? std::to_string(component + 1) : std::string(1, index_name(loop++));
  }
  return rank == 0 ? "" : "[" + text + "]";
}

// The entries with one index held, if one is.
std::vector<std::int64_t> entries(const Coordinate& c, std::optional<std::size_t> held, std::int64_t value) {
  std::vector<std::int64_t> all{c.offset};
  std::int64_t stride = 1;
  for (std::size_t d = 0; d < c.shape.size(); ++d) {
    std::vector<std::int64_t> longer;
    for (std::int64_t k = 0; k < c.shape[d]; ++k) {
      if (held == d && k != value) continue;
      for (const std::int64_t place : all) longer.push_back(place + k * stride);
    }
    all = std::move(longer);
    stride *= c.shape[d];
  }
  return all;
}

PointGroup group_of_array(const Coordinate& c, std::size_t component_at) {
  PointGroup group;
  group.shape = c.shape;
  group.shape.erase(group.shape.begin() + static_cast<std::ptrdiff_t>(component_at));
  for (int axis = 0; axis < c.shape[component_at]; ++axis)
    group.components.push_back(
        {axis, entries(c, component_at, axis), c.name, index_text(c.shape.size(), component_at, axis)});
  return group;
}

using CoordinatesByName = std::unordered_map<std::string_view, const Coordinate*>;

bool is_a_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// The coordinates whose names differ from that of c by x, y, z at one place, c being the first of them; or c alone, if
// its name is such a letter, with a number perhaps.
std::vector<std::pair<int, const Coordinate*>> partners(const CoordinatesByName& all, const Coordinate& c) {
  std::vector<std::pair<int, const Coordinate*>> best;
  for (std::size_t at = 0; at < c.name.size(); ++at) {
    const int first = c.name[at] - 'x';
    if (first < 0 || first > 2) continue;
    std::vector<std::pair<int, const Coordinate*>> found;
    for (int axis = 0; axis < 3; ++axis) {
      std::string name = c.name;
      name[at] = static_cast<char>('x' + axis);
      const auto other = all.find(name);
      if (other != all.end() && other->second->shape == c.shape) found.emplace_back(axis, other->second);
    }
    const bool is_letter = at == 0 && std::none_of(c.name.begin() + 1, c.name.end(), is_a_letter);
    if (found.front().second == &c && found.size() > best.size() && (found.size() > 1 || is_letter)) best = found;
  }
  return best;
}

std::vector<PointGroup> point_groups(const Model& model) {
  std::vector<PointGroup> groups;
  CoordinatesByName by_name;
  for (const auto& c : model.coordinates) by_name.emplace(c.name, &c);
  std::unordered_set<const Coordinate*> taken;
  for (const auto& c : model.coordinates) {
    if (taken.contains(&c)) continue;
    auto named = partners(by_name, c);
    if (named.empty() && !c.shape.empty() && (c.shape.back() == 2 || c.shape.back() == 3)) {
      groups.push_back(group_of_array(c, c.shape.size() - 1));
      if (c.shape.size() == 2 && c.shape[0] == c.shape[1]) {
        groups.push_back(group_of_array(c, 0));
        groups.back().can_shift = false;  // the same shifts of all entries together
      }
      continue;
    }
    if (named.empty()) named = {{-1, &c}};
    PointGroup group;
    group.shape = c.shape;
    for (const auto& [axis, coordinate] : named) {
      group.components.push_back(
          {axis, entries(*coordinate, {}, 0), coordinate->name, index_text(c.shape.size(), {}, 0)});
      taken.insert(coordinate);
    }
    groups.push_back(std::move(group));
  }
  return groups;
}

MomentumCandidate shift(const PointGroup& group, const Component& a) {
  return {.kind = MomentumCandidate::Kind::linear,
          .axis = a.axis < 0 ? "" : kAxes[static_cast<std::size_t>(a.axis)],
          .coordinate = a.axis < 0 ? a.coordinate : "",
          .expression = summed(group.shape, fmt::format("p_{}{}", a.coordinate, a.indices)),
          .shifted = a.entries};
}

// About the axis that completes (a, b) to a right-handed triple.
MomentumCandidate turn(const PointGroup& group, const Component& a, const Component& b) {
  MomentumCandidate candidate{
      .kind = MomentumCandidate::Kind::angular,
      .axis = group.components.size() == 3 ? kAxes[static_cast<std::size_t>(3 - a.axis - b.axis)] : "",
      .coordinate = "",
      .expression = summed(group.shape, fmt::format("{0}{1}*p_{2}{3} - {2}{3}*p_{0}{1}", a.coordinate, a.indices,
                                                    b.coordinate, b.indices))};
  for (std::size_t k = 0; k < a.entries.size(); ++k) candidate.turned.emplace_back(a.entries[k], b.entries[k]);
  return candidate;
}

}  // namespace

std::string MomentumCandidate::name() const {
  if (!coordinate.empty()) return "momentum of " + coordinate;
  const std::string text = kind == Kind::linear ? "linear momentum" : "angular momentum";
  if (axis.empty()) return text;
  return text + (kind == Kind::linear ? " along " : " about ") + axis;
}

std::vector<MomentumCandidate> momentum_candidates(const Model& model) {
  std::vector<MomentumCandidate> candidates;
  for (const auto& group : point_groups(model)) {
    const auto& c = group.components;
    if (group.can_shift)
      for (const auto& component : c) candidates.push_back(shift(group, component));
    if (c.size() == 2) candidates.push_back(turn(group, c[0], c[1]));
    if (c.size() == 3)
      for (std::size_t k = 0; k < 3; ++k) candidates.push_back(turn(group, c[(k + 1) % 3], c[(k + 2) % 3]));
  }
  return candidates;
}

}  // namespace cotangent
