#include "tests/solve/saddle.hpp"

#include <algorithm>
#include <cmath>
#include <random>

namespace cotangent::test {

SaddlePattern Bodies::pattern() const {
  SaddlePattern p{.n = n(), .m = m(), .couplings = {}, .incidences = {}};
  for (int r = 0; r < m(); ++r) {
    const bool rod = r < static_cast<int>(rods.size());
    const int a = rod ? rods[r].first : anchors[r - rods.size()];
    for (int c = 0; c < dimension; ++c) {
      p.incidences.emplace_back(r, coordinate(a, c));
      if (!rod) continue;
      p.incidences.emplace_back(r, coordinate(rods[r].second, c));
      for (int d = 0; d < dimension; ++d) p.couplings.emplace_back(coordinate(a, c), coordinate(rods[r].second, d));
    }
  }
  return p;
}

Bodies chain_of_bodies(int bodies, bool by_component) {
  return {by_component ? "chain_by_component" : "chain", bodies, 2, path(bodies), {0}, by_component};
}

std::vector<Bodies> assemblies() {
  return {
      {"one", 1, 2, {}, {0}},
      {"two", 2, 3, path(2), {0}},
      chain_of_bodies(60),
      chain_of_bodies(60, true),
      {"chain_renumbered", 60, 2, renumbered(path(60), 60, 1), {7}},
      {"free_chain", 40, 3, path(40), {}},
      {"tree", 63, 2, binary_tree(63), {0}},
      {"tree_renumbered", 63, 3, renumbered(binary_tree(63), 63, 2), {3, 5}, true},
      {"loop", 50, 2, ring(50), {0, 20}},
      {"net", 81, 3, grid(9), {0, 8, 72, 80}},
      {"star", 40, 3, star(40, 0), {0}},
  };
}

EntryList saddle_matrix(const Bodies& bodies, unsigned seed, double asymmetry) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  const SaddlePattern p = bodies.pattern();
  EntryList A;
  const auto add_both = [&](int i, int j, double a) {
    A.add(i, j, a * (1 + asymmetry * uniform(random)));
    A.add(j, i, a * (1 + asymmetry * uniform(random)));
  };

  std::vector<double> scale(p.n), diagonal(p.n, 0.05), position(p.n);
  for (double& s : scale) s = std::pow(10.0, uniform(random) / 2);
  for (double& x : position) x = uniform(random);
  for (const auto& [i, j] : p.couplings) {
    const double a = uniform(random);
    diagonal[i] += std::abs(a), diagonal[j] += std::abs(a);
    add_both(i, j, a * scale[i] * scale[j]);
  }
  for (int i = 0; i < p.n; ++i) {
    A.add(i, i, 3 * diagonal[i] * scale[i] * scale[i]);
    A.add(i, i, -2 * diagonal[i] * scale[i] * scale[i]);
  }

  const int rods = static_cast<int>(bodies.rods.size());
  for (int r = 0; r < p.m; ++r) {
    for (int c = 0; c < bodies.dimension; ++c) {
      if (r < rods) {
        const int i = bodies.coordinate(bodies.rods[r].first, c), j = bodies.coordinate(bodies.rods[r].second, c);
        add_both(p.n + r, i, 2 * (position[i] - position[j]));
        add_both(p.n + r, j, 2 * (position[j] - position[i]));
      } else {
        const int i = bodies.coordinate(bodies.anchors[r - rods], c);
        add_both(p.n + r, i, 2 * position[i]);
      }
    }
  }
  return A;
}

}  // namespace cotangent::test
