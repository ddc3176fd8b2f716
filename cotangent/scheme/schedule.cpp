#include "cotangent/scheme/schedule.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace cotangent {
namespace {

using Action = ElementInstruction::Action;

std::optional<Action> action_of(const Scheme::Node& node) {
  if (node.is_number) return {};
  switch (node.op) {
    case SchemeOp::add:
      return Action::add;
    case SchemeOp::subtract:
      return Action::subtract;
    case SchemeOp::multiply:
      return Action::multiply;
    case SchemeOp::divide:
      return Action::divide;
    case SchemeOp::negate:
      return Action::negate;
    case SchemeOp::absolute:
      return Action::absolute;
    case SchemeOp::choose:
      return Action::choose;
    case SchemeOp::sum:
      return Action::sum;
    default:
      return {};
  }
}

// Another name of a vector, or a vector that is just there.
bool runs(SchemeOp op) {
  return op != SchemeOp::input && op != SchemeOp::zeros && op != SchemeOp::part && op != SchemeOp::unknown &&
         op != SchemeOp::lost && op != SchemeOp::result;
}

}  // namespace

bool is_written(SchemeOp op) {
  return op != SchemeOp::input && op != SchemeOp::part && op != SchemeOp::cached && op != SchemeOp::solve;
}

namespace {

// What makes a vector, seen from a region: itself or, if it is made in a solve there, the solve.
int maker_of(const Scheme& scheme, int id, int region) {
  for (int at = scheme.nodes[static_cast<std::size_t>(id)].region; at > region;) {
    id = scheme.regions[static_cast<std::size_t>(at)].owner;
    at = scheme.regions[static_cast<std::size_t>(at)].parent;
  }
  return id;
}

}  // namespace

Schedule::Schedule(const Scheme& scheme)
    : items(scheme.regions.size()), results(scheme.nodes.size()), makers_(scheme.nodes.size(), -1) {
  for (std::size_t k = 0; k < scheme.nodes.size(); ++k) {
    const Scheme::Node& node = scheme.nodes[k];
    if (node.op == SchemeOp::part) parts.push_back(static_cast<int>(k));
    if (node.op != SchemeOp::lost && node.op != SchemeOp::result) continue;
    auto& list = results[static_cast<std::size_t>(node.in[0])];
    list.resize(std::max(list.size(), node.first + 1), -1);
    list[node.first] = static_cast<int>(k);
  }
  for (std::size_t region = 0; region < scheme.regions.size(); ++region) plan_region(scheme, static_cast<int>(region));
  count_reads(scheme);
  for (ElementPass& pass : passes) fuse(pass);
  keep_blocks(scheme);
  place_joined(scheme);

  std::vector<char> is_timed(scheme.nodes.size(), 0);
  for (const int id : scheme.numbers) {
    const Scheme::Node& number = scheme.nodes[static_cast<std::size_t>(id)];
    char& here = is_timed[static_cast<std::size_t>(id)];
    here = id == scheme.inputs.t || id == scheme.inputs.t_end ? 1 : 0;
    for (const int input : number.in) here = std::max(here, is_timed[static_cast<std::size_t>(input)]);
    if (here != 0) timed.push_back(id);
  }
}

// Operations on elements join the first pass that fits after everything that they read has been made.
void Schedule::plan_region(const Scheme& scheme, int region) {
  std::vector<Item>& list = items[static_cast<std::size_t>(region)];
  std::vector<std::size_t> made_in(scheme.nodes.size(), 0);  // by node: the item
  for (const int id : scheme.regions[static_cast<std::size_t>(region)].nodes) {
    const Scheme::Node& node = scheme.nodes[static_cast<std::size_t>(id)];
    std::size_t& here = made_in[static_cast<std::size_t>(id)];
    for (const int input : node.in)
      if (input >= 0) here = std::max(here, made_in[static_cast<std::size_t>(maker_of(scheme, input, region))]);
    const auto action = action_of(node);
    if (!action) {
      if (!runs(node.op)) continue;
      list.push_back({.node = id});
      here = list.size() - 1;
      continue;
    }
    const auto fits = [&](const Item& item) {
      return item.pass >= 0 && passes[static_cast<std::size_t>(item.pass)].size == node.size;
    };
    while (here < list.size() && !fits(list[here])) ++here;
    if (here == list.size()) {
      list.push_back({.pass = static_cast<int>(passes.size())});
      passes.push_back({node.size});
    }
    ElementInstruction made{.action = *action, .a = node.in[0], .result = id};
    if (*action == Action::sum) {
      made.lost_before = node.in[1];
      made.b = node.in[2];
      const auto& others = results[static_cast<std::size_t>(id)];
      if (!others.empty()) made.lost = others[0];
    } else {
      if (node.in.size() > 1) made.b = node.in[1];
      if (node.in.size() > 2) made.c = node.in[2];
    }
    ElementPass& pass = passes[static_cast<std::size_t>(list[here].pass)];
    pass.nodes.push_back(id);
    pass.instructions.push_back(made);
    makers_[static_cast<std::size_t>(id)] = list[here].pass;
    if (made.lost >= 0) makers_[static_cast<std::size_t>(made.lost)] = list[here].pass;
  }
}

void Schedule::count_reads(const Scheme& scheme) {
  reads_.assign(scheme.nodes.size(), 0);
  readers_.assign(scheme.nodes.size(), -1);
  const auto others = static_cast<int>(passes.size());  // several passes, or none
  const auto read = [&](int id, int pass) {
    if (id < 0) return;
    ++reads_[static_cast<std::size_t>(id)];
    int& reader = readers_[static_cast<std::size_t>(id)];
    reader = reader == -1 || reader == pass ? pass : others;
  };
  for (std::size_t k = 0; k < scheme.nodes.size(); ++k) {
    const Scheme::Node& node = scheme.nodes[k];
    if (node.op == SchemeOp::lost) continue;
    for (const int input : node.in) read(input, action_of(node) ? makers_[k] : others);
  }
  for (const int id : scheme.results()) read(id, others);
}

// Differences and multiples that are only added to something are not made by themselves.
void Schedule::fuse(ElementPass& pass) {
  auto& list = pass.instructions;
  const auto maker = [&](int id) -> ElementInstruction* {
    if (reads_[static_cast<std::size_t>(id)] != 1) return nullptr;
    const auto found =
        std::find_if(list.begin(), list.end(), [&](const ElementInstruction& each) { return each.result == id; });
    return found == list.end() ? nullptr : &*found;
  };
  const auto take = [](ElementInstruction& into, Action action, ElementInstruction& from) {
    into.action = action;
    into.b = from.a;
    into.c = from.b;
    from.result = -1;
  };
  for (ElementInstruction& each : list) {
    if (each.action == Action::add)
      if (const auto* first = maker(each.a); first != nullptr && first->action == Action::multiply)
        std::swap(each.a, each.b);
    if (each.action != Action::sum && each.action != Action::add && each.action != Action::subtract) continue;
    ElementInstruction* const made = maker(each.b);
    if (made == nullptr) continue;
    if (made->action == Action::subtract && each.action == Action::sum) take(each, Action::sum_difference, *made);
    if (made->action == Action::add && each.action == Action::add) take(each, Action::add_sum, *made);
    if (made->action != Action::multiply) continue;
    take(each,
         each.action == Action::sum   ? Action::sum_product
         : each.action == Action::add ? Action::add_product
                                      : Action::subtract_product,
         *made);
  }
  std::erase_if(list, [](const ElementInstruction& each) { return each.result == -1; });
}

void Schedule::place_joined(const Scheme& scheme) {
  is_placed.assign(scheme.nodes.size(), 0);
  const Scheme::Point& end = scheme.end;
  for (const int id : {end.q, end.q_low, end.p, end.p_low, end.s, end.s_low})
    if (id >= 0) is_placed[static_cast<std::size_t>(id)] = 1;
  for (const Scheme::Remembered& memory : scheme.memory) is_placed[static_cast<std::size_t>(memory.end)] = 1;
  const std::vector<char> is_elsewhere = is_placed;
  for (std::size_t k = scheme.nodes.size(); k-- > 0;) {
    const Scheme::Node& join = scheme.nodes[k];
    // What is made in place of a cached vector is mixed with it, lane by lane.
    const bool is_cached = std::any_of(scheme.cached.begin(), scheme.cached.end(),
                                       [k](const auto& each) { return each.result == static_cast<int>(k); });
    if (join.op != SchemeOp::join || is_cached) continue;
    std::size_t first = 0;
    for (const int id : join.in) {
      const Scheme::Node& part = scheme.nodes[static_cast<std::size_t>(id)];
      if (is_written(part.op) && part.op != SchemeOp::zeros && part.op != SchemeOp::unknown &&
          is_placed[static_cast<std::size_t>(id)] == 0) {
        is_placed[static_cast<std::size_t>(id)] = 1;
        placed.push_back({id, static_cast<int>(k), first});
      }
      first += part.size;
    }
  }
  for (std::size_t k = 0; k < is_placed.size(); ++k) is_placed[k] = is_elsewhere[k] != 0 ? 0 : is_placed[k];
}

void Schedule::keep_blocks(const Scheme& scheme) {
  const std::size_t count = scheme.nodes.size();
  is_stored.assign(count, 1);
  std::vector<int> places(count);
  for (std::size_t k = 0; k < count; ++k) {
    places[k] = static_cast<int>(k);
    if (makers_[k] == -1 || makers_[k] != readers_[k]) continue;
    is_stored[k] = 0;
    places[k] = static_cast<int>(count + blocks.size());
    blocks.push_back(scheme.nodes[k].size);
  }
  for (ElementPass& pass : passes)
    for (ElementInstruction& each : pass.instructions)
      for (int* place : {&each.a, &each.b, &each.c, &each.lost_before, &each.result, &each.lost})
        if (*place >= 0) *place = places[static_cast<std::size_t>(*place)];
}

}  // namespace cotangent
