#include "cotangent/model/topological_order.hpp"

#include <algorithm>
#include <cstdint>

#include "cotangent/base/check.hpp"

namespace cotangent {

std::vector<std::size_t> topological_order(std::span<const std::vector<std::size_t>> edges,
                                           const std::function<void(std::span<const std::size_t>)>& on_cycle) {
  enum class Visit : std::uint8_t { unseen, open, done };
  // Depth first with a stack of its own: a chain of definitions may be long.
  std::vector<Visit> visit(edges.size(), Visit::unseen);
  std::vector<std::size_t> order, path, next(edges.size(), 0);
  for (std::size_t start = 0; start < edges.size(); ++start) {
    if (visit[start] != Visit::unseen) continue;
    path.push_back(start);
    visit[start] = Visit::open;
    while (!path.empty()) {
      const std::size_t k = path.back();
      if (next[k] == edges[k].size()) {
        visit[k] = Visit::done;
        order.push_back(k);
        path.pop_back();
        continue;
      }
      const std::size_t other = edges[k][next[k]++];
      if (visit[other] == Visit::open) {
        const auto begin = std::find(path.begin(), path.end(), other);
        on_cycle(std::span(path).subspan(static_cast<std::size_t>(begin - path.begin())));
        check_failed("a cycle is an error");
      }
      if (visit[other] == Visit::unseen) {
        visit[other] = Visit::open;
        path.push_back(other);
      }
    }
  }
  return order;
}

}  // namespace cotangent
