#include "tests/solve/patterns.hpp"

#include <algorithm>
#include <numeric>
#include <random>
#include <set>

namespace cotangent::test {

OffDiagonal path(int size) {
  OffDiagonal entries;
  for (int i = 1; i < size; ++i) entries.emplace_back(i, i - 1);
  return entries;
}

OffDiagonal ring(int size) {
  OffDiagonal entries = path(size);
  entries.emplace_back(size - 1, 0);
  return entries;
}

OffDiagonal renumbered(OffDiagonal entries, int size, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<int> number(size);
  std::iota(number.begin(), number.end(), 0);
  std::shuffle(number.begin(), number.end(), random);
  std::shuffle(entries.begin(), entries.end(), random);
  for (auto& [i, j] : entries) {
    const auto [low, high] = std::minmax(number[i], number[j]);
    i = high, j = low;
  }
  return entries;
}

OffDiagonal binary_tree(int size) {
  OffDiagonal entries;
  for (int i = 1; i < size; ++i) entries.emplace_back(i, (i - 1) / 2);
  return entries;
}

OffDiagonal grid(int side) {
  OffDiagonal entries;
  for (int i = 0; i < side; ++i) {
    for (int j = 0; j < side; ++j) {
      if (j > 0) entries.emplace_back(i * side + j, i * side + j - 1);
      if (i > 0) entries.emplace_back(i * side + j, (i - 1) * side + j);
    }
  }
  return entries;
}

OffDiagonal band(int size, int width) {
  OffDiagonal entries;
  for (int i = 0; i < size; ++i) {
    for (int j = std::max(0, i - width); j < i; ++j) entries.emplace_back(i, j);
  }
  return entries;
}

OffDiagonal star(int size, int centre) {
  OffDiagonal entries;
  for (int i = 0; i < size; ++i) {
    if (i != centre) entries.emplace_back(std::max(i, centre), std::min(i, centre));
  }
  return entries;
}

OffDiagonal random_sparse(int size, int count, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_int_distribution<int> row(0, size - 1);
  std::set<std::pair<int, int>> entries;
  while (static_cast<int>(entries.size()) < count) {
    const int i = row(random), j = row(random);
    if (i != j) entries.emplace(std::max(i, j), std::min(i, j));
  }
  return {entries.begin(), entries.end()};
}

}  // namespace cotangent::test
