#include "tests/integrator/rooted_trees.hpp"

#include <functional>

namespace cotangent::test {

std::vector<RootedTree> rooted_trees(int order) {
  std::vector<RootedTree> trees;
  for (int n = 1; n <= order; ++n) {
    const std::size_t smaller = trees.size();
    std::vector<std::size_t> children;
    // Multisets of smaller trees with `left` nodes, none of them after the last one that was chosen.
    const std::function<void(int, std::size_t)> choose = [&](int left, std::size_t end) {
      if (left == 0) {
        RootedTree tree{children, n, static_cast<Quad>(n)};
        for (const std::size_t child : children) tree.density *= trees[child].density;
        trees.push_back(std::move(tree));
        return;
      }
      for (std::size_t child = 0; child < end; ++child) {
        if (trees[child].order > left) break;
        children.push_back(child);
        choose(left - trees[child].order, child + 1);
        children.pop_back();
      }
    };
    choose(n - 1, smaller);
  }
  return trees;
}

std::vector<std::vector<Quad>> elementary_weights(const std::vector<RootedTree>& trees,
                                                  const std::vector<std::vector<Quad>>& a) {
  std::vector<std::vector<Quad>> weights, sums;
  for (const RootedTree& tree : trees) {
    std::vector<Quad> phi(a.size(), 1), sum(a.size(), 0);
    for (std::size_t i = 0; i < a.size(); ++i) {
      for (const std::size_t child : tree.children) phi[i] *= sums[child][i];
    }
    for (std::size_t i = 0; i < a.size(); ++i)
      for (std::size_t j = 0; j < a[i].size(); ++j) sum[i] += a[i][j] * phi[j];
    weights.push_back(std::move(phi));
    sums.push_back(std::move(sum));
  }
  return weights;
}

}  // namespace cotangent::test
