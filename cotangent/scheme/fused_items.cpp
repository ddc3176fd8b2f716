#include "cotangent/scheme/fused_items.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "cotangent/expr/algorithm.hpp"
#include "cotangent/system/at.hpp"
#include "cotangent/system/operation/fuse.hpp"

namespace cotangent {
namespace {

// Numbers that a kernel makes, at most: the time that it takes to compile grows faster than what it saves.
constexpr std::size_t kMost = 128;

using Values = std::vector<Expr>;

// An operation of the system, and the vectors of its kernels that hold the arguments of the node; t is the time.
struct SystemOperation {
  Derivative derivative;
  std::vector<int> arguments;
};

std::optional<SystemOperation> operation_of(SchemeOp op) {
  switch (op) {
    case SchemeOp::H_q:
      return {{Derivative::H_q, {in::q, in::p, in::t}}};
    case SchemeOp::H_p:
      return {{Derivative::H_p, {in::q, in::p, in::t}}};
    case SchemeOp::H_pp_times:
      return {{Derivative::H_pp_times, {in::q, in::p, in::t, in::a_p}}};
    case SchemeOp::H_p_along:
      return {{Derivative::H_p_along, {in::q, in::p, in::t, in::a_q, in::a_p}}};
    case SchemeOp::g_second:
      return {{Derivative::g_second, {in::q, in::t, in::a_q, in::b_q}}};
    case SchemeOp::g:
      return {{Derivative::g, {in::q, in::t}}};
    case SchemeOp::g_rate:
      return {{Derivative::g_rate, {in::q, in::t, in::a_q}}};
    case SchemeOp::G_times:
      return {{Derivative::G_times, {in::q, in::t, in::a_q}}};
    case SchemeOp::Gt_times:
      return {{Derivative::Gt_times, {in::q, in::t, in::weights}}};
    default:
      return {};
  }
}

// One kernel that is being made.
class Segment {
 public:
  Segment(const Scheme& scheme, const Schedule& schedule, const CompiledModel& model, const SystemPlaces& places)
      : scheme_(scheme),
        schedule_(schedule),
        model_(model),
        system_(places),
        builder_(model.elements()),
        places_(*builder_.graph(), 1) {}

  /// @return whether the item is part of it now.
  bool add(const Schedule::Item& item) {
    if (item.pass >= 0) {
      const ElementPass& pass = schedule_.passes[static_cast<std::size_t>(item.pass)];
      if (!has_room(pass.size * pass.nodes.size())) return false;
      for (const int id : pass.nodes) add_elements(id, scheme_.nodes[static_cast<std::size_t>(id)]);
      return true;
    }
    const Scheme::Node& node = scheme_.nodes[static_cast<std::size_t>(item.node)];
    const auto operation = operation_of(node.op);
    if (!operation || !has_room(node.size) || !add(item.node, node, *operation)) return false;
    if (node.op == SchemeOp::H_q) ++evaluations_;
    ++operations_;
    return true;
  }

  bool is_worth_a_kernel() const { return operations_ > 0 && made_.size() > 1; }
  bool makes(int id) const { return made_.contains(id); }
  int evaluations() const { return evaluations_; }

  /// @param is_wanted(id) whether somebody else reads the vector.
  template <class IsWanted>
  FusedItems take(const IsWanted& is_wanted) {
    KernelSpec spec;
    spec.count = 1;
    const auto store = [&](int vector, const Values& values) {
      for (std::size_t k = 0; k < values.size(); ++k)
        spec.stores.push_back(
            {values[k], vector, IndexMap::fixed(static_cast<std::int64_t>(k)), KernelSpec::Mode::assign});
    };
    for (const auto& [id, values] : made_)
      if (is_wanted(id)) store(id, values);
    store(system_.row_size, row_size_);
    spec.loads = places_.loads();
    drop_unused(spec);
    return {builder_.graph(), {{std::move(spec)}, {}}};
  }

 private:
  bool has_room(std::size_t count) { return (size_ += count) <= kMost; }

  // Entry k of a vector, made here or read.
  Expr entry(int id, std::size_t k) {
    const Scheme::Node& node = scheme_.nodes[static_cast<std::size_t>(id)];
    if (const auto found = made_.find(id); found != made_.end()) return found->second[k];
    if (node.op == SchemeOp::part) return entry(node.in[0], node.first + k);
    if (node.op == SchemeOp::constant) return builder_.graph()->constant(node.number);
    if (node.op == SchemeOp::zeros) return builder_.graph()->constant(0);
    return places_.symbol(id, IndexMap::fixed(static_cast<std::int64_t>(k)));
  }

  void add_elements(int id, const Scheme::Node& node) {
    Graph& graph = *builder_.graph();
    Values values, lost;
    const auto argument = [&](std::size_t which, std::size_t k) {
      return entry(node.in[which], scheme_.nodes[static_cast<std::size_t>(node.in[which])].size == 1 ? 0 : k);
    };
    for (std::size_t k = 0; k < node.size; ++k) {
      const Expr a = argument(0, k);
      switch (node.op) {
        case SchemeOp::add:
          values.push_back(a + argument(1, k));
          break;
        case SchemeOp::subtract:
          values.push_back(a - argument(1, k));
          break;
        case SchemeOp::multiply:
          values.push_back(a * argument(1, k));
          break;
        case SchemeOp::divide:
          values.push_back(a / argument(1, k));
          break;
        case SchemeOp::negate:
          values.push_back(-a);
          break;
        case SchemeOp::absolute:
          values.push_back(abs(a));
          break;
        case SchemeOp::choose:
          values.push_back(
              graph.apply(Op::select, graph.apply(Op::lt, graph.constant(0), a), argument(1, k), argument(2, k)));
          break;
        default: {  // a sum
          const Expr change = argument(2, k) + argument(1, k);
          values.push_back(a + change);
          lost.push_back(sum_error(a, change));
        }
      }
    }
    made_[id] = std::move(values);
    const auto& others = schedule_.results[static_cast<std::size_t>(id)];
    if (!others.empty()) made_[others[0]] = std::move(lost);
  }

  bool add(int id, const Scheme::Node& node, const SystemOperation& operation) {
    const Contraction& contraction = contraction_of(operation.derivative);
    if (!model_.is_made_of_elements(contraction)) return false;
    const ContractionPlan plan = builder_.build(contraction);
    const auto is_argument = [&](int vector) {
      return vector >= in::kColumns ||
             std::find(operation.arguments.begin(), operation.arguments.end(), vector) != operation.arguments.end();
    };
    if (plan.kernels.size() > 1) return false;
    for (const KernelSpec& spec : plan.kernels)
      if (spec.count != 1 || !spec.counters.empty() ||
          !std::all_of(spec.loads.begin(), spec.loads.end(),
                       [&](const auto& load) { return is_argument(load.vector); }))
        return false;

    Graph& graph = *builder_.graph();
    std::map<int, Values> results;
    results[out::result].assign(node.size, graph.constant(0));
    results[out::norms].assign(2, graph.constant(0));
    results[out::kRowScales].assign(node.size, graph.constant(0));
    for (const KernelSpec& spec : plan.kernels) {
      Replacement to_value;
      for (const auto& load : spec.loads) {
        const auto k = static_cast<std::size_t>(load.at(0));
        const auto which = std::find(operation.arguments.begin(), operation.arguments.end(), load.vector);
        to_value.emplace(load.symbol.id(),
                         load.vector >= in::kColumns
                             ? places_.symbol(system_.columns + (load.vector - in::kColumns), load.at)
                             : entry(node.in[static_cast<std::size_t>(which - operation.arguments.begin())], k));
      }
      Substitution evaluate(to_value);
      for (const auto& store : spec.stores) {
        Expr& place = results[store.vector].at(static_cast<std::size_t>(store.at(0)));
        const Expr value = evaluate(store.value);
        place = store.mode == KernelSpec::Mode::assign ? value
                : store.mode == KernelSpec::Mode::add  ? place + value
                                                       : max(place, value);
      }
    }
    if (contraction.norms) {
      row_size_ = results[out::norms];
      if (!plan.rows_from_one_family)
        for (std::size_t r = 0; r < node.size; ++r) {
          row_size_[0] = max(row_size_[0], abs(results[out::result][r]));
          row_size_[1] = max(row_size_[1], results[out::kRowScales][r]);
        }
    }
    made_[id] = results[out::result];
    return true;
  }

  const Scheme& scheme_;
  const Schedule& schedule_;
  const CompiledModel& model_;
  const SystemPlaces& system_;
  ContractionBuilder builder_;
  Places places_;
  std::map<int, Values> made_;  // by node
  Values row_size_;
  std::size_t size_ = 0;
  int operations_ = 0, evaluations_ = 0;
};

// Parts are other names of places in vectors.
int whole_of(const Scheme& scheme, int id) {
  while (scheme.nodes[static_cast<std::size_t>(id)].op == SchemeOp::part)
    id = scheme.nodes[static_cast<std::size_t>(id)].in[0];
  return id;
}

}  // namespace

std::vector<FusedItems> fuse_items(const Scheme& scheme, Schedule& schedule, const CompiledModel& model,
                                   const SystemPlaces& places) {
  std::vector<std::vector<int>> readers(scheme.nodes.size());  // by vector; nobody: -1
  for (const int id : scheme.results()) readers[static_cast<std::size_t>(whole_of(scheme, id))].push_back(-1);
  for (std::size_t k = 0; k < scheme.nodes.size(); ++k)
    for (const int id : scheme.nodes[k].in)
      if (id >= 0 && scheme.nodes[k].op != SchemeOp::part && scheme.nodes[k].op != SchemeOp::lost)
        readers[static_cast<std::size_t>(whole_of(scheme, id))].push_back(static_cast<int>(k));

  std::vector<FusedItems> kernels;
  for (auto& items : schedule.items) {
    std::vector<Schedule::Item> kept;
    for (std::size_t k = 0; k < items.size();) {
      Segment segment(scheme, schedule, model, places);
      std::size_t end = k;
      while (end < items.size() && segment.add(items[end])) ++end;
      if (!segment.is_worth_a_kernel()) {
        end = std::max(end, k + 1);
        kept.insert(kept.end(), items.begin() + static_cast<std::ptrdiff_t>(k),
                    items.begin() + static_cast<std::ptrdiff_t>(end));
      } else {
        kept.push_back({.kernel = static_cast<int>(kernels.size()), .evaluations = segment.evaluations()});
        kernels.push_back(segment.take([&](int id) {
          const auto& all = readers[static_cast<std::size_t>(id)];
          return std::any_of(all.begin(), all.end(), [&](int reader) { return !segment.makes(reader); });
        }));
      }
      k = end;
    }
    items = std::move(kept);
  }
  return kernels;
}

}  // namespace cotangent
