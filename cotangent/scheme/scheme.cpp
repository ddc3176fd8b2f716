#include "cotangent/scheme/scheme.hpp"

#include <fmt/format.h>

#include <iterator>
#include <sstream>

namespace cotangent {
namespace {

// In the order of the operations.
std::vector<std::string> operation_names() {
  std::istringstream all(
      "input constant zeros add subtract multiply divide negate absolute sqrt smaller larger choose "
      "sum lost dot divide_beyond_rounding part join result H_q H_p H_pp H_p_along g g_rate G Gt "
      "g_t g_second force rates motion R K factor_solve smallest G_sizes position_scale rate_scale "
      "force_scale cached unknown solve step field energy");
  return {std::istream_iterator<std::string>(all), {}};
}

}  // namespace

std::vector<int> Scheme::results() const {
  std::vector<int> all{end.q, end.q_low, end.p, end.p_low, end.s, end.s_low};
  for (const Solve& solve : solves) {
    all.insert(all.end(), {solve.residual, solve.scale, solve.change});
    for (const Solve::Kind& kind : solve.kinds) all.insert(all.end(), {kind.base, kind.noise});
  }
  all.insert(all.end(), shift.begin(), shift.end());
  for (const Cached& each : cached) all.push_back(each.result);
  for (const Remembered& each : memory) all.push_back(each.end);
  std::erase_if(all, [](int id) { return id < 0; });
  return all;
}

std::string Scheme::text() const {
  const std::vector<std::string> names = operation_names();
  std::string all;
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    const Node& node = nodes[k];
    all += fmt::format("{} {}[{}] {}", node.region, k, node.size, names[static_cast<std::size_t>(node.op)]);
    if (node.op == SchemeOp::constant) all += fmt::format(" {}", static_cast<double>(node.number));
    for (const int id : node.in) all += id < 0 ? " -" : fmt::format(" {}", id);
    all += "\n";
  }
  return all;
}

}  // namespace cotangent
