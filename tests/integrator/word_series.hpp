#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "cotangent/base/scalar.hpp"

namespace cotangent::test {

/// Formal series in letters that do not commute, up to a degree: products of exponentials of vector fields, of which
/// order conditions of compositions and splittings are made. A word is a list of letters; each letter has a degree.
class WordSeries {
 public:
  using Word = std::vector<int>;

  /// @param degrees of the letters 0, 1, ...
  WordSeries(const std::vector<int>& degrees, int most) : degrees_(degrees), most_(most) { coefficients_[{}] = 1; }

  int degree(const Word& word) const {
    int sum = 0;
    for (const int letter : word) sum += degrees_[static_cast<std::size_t>(letter)];
    return sum;
  }

  /// this <- this exp(sum_i x_i letter_i).
  void multiply_by_exponential(const std::vector<Quad>& x) {
    // (sum x_i letter_i)^k / k!, added up.
    std::map<Word, Quad> result = coefficients_, power = coefficients_;
    for (int k = 1; k <= most_; ++k) {
      std::map<Word, Quad> next;
      for (const auto& [word, value] : power) {
        for (std::size_t i = 0; i < x.size(); ++i) {
          Word longer = word;
          longer.push_back(static_cast<int>(i));
          if (x[i] != 0 && degree(longer) <= most_) next[longer] += value * x[i] / k;
        }
      }
      for (const auto& [word, value] : next) result[word] += value;
      power = std::move(next);
    }
    coefficients_ = std::move(result);
  }

  const std::map<Word, Quad>& coefficients() const { return coefficients_; }

  /// The largest difference of coefficients among words of this degree.
  Quad distance(const WordSeries& other, int of_degree) const {
    Quad largest = 0;
    const auto compare = [&](const std::map<Word, Quad>& a, const std::map<Word, Quad>& b) {
      for (const auto& [word, value] : a) {
        if (degree(word) != of_degree) continue;
        const auto found = b.find(word);
        const Quad difference = value - (found == b.end() ? static_cast<Quad>(0) : found->second);
        largest = max(largest, abs(difference));
      }
    };
    compare(coefficients_, other.coefficients_);
    compare(other.coefficients_, coefficients_);
    return largest;
  }

 private:
  std::vector<int> degrees_;
  int most_;
  std::map<Word, Quad> coefficients_;
};

}  // namespace cotangent::test
