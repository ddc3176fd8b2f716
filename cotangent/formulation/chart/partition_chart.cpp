// The sparse charts of chart.hpp: A selects n - m coordinates, the independent ones.
//
//   G = [G_I, G_D]:   v_I = u,  G_D v_D = c - G_I u         lift
//                     G_D' nu = x_D,  theta = x_I - G_I' nu   pull_back
//
// Which coordinates are dependent is found by eliminating G row by row, the pivot of a row being its largest entry. For
// the sake of sparsity elimination is incomplete: in row r only places are changed at which G has an entry in row r.
// Where that leads to a nearly singular G_D, or drops a row that does not follow from the others, as it may in closed
// loops, it is done again completely.

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/formulation/chart/chart.hpp"
#include "cotangent/solve/direct/sparse_lu.hpp"
#include "cotangent/system/matrix/jacobian.hpp"

namespace cotangent {
namespace {

// G by rows, with the pivots that elimination has chosen. Column -1 marks a row that follows from others.
class Elimination {
 public:
  struct Entry {
    std::int64_t column;
    double value;
  };
  using Row = std::vector<Entry>;  // columns ascending

  // For each row its column. Allocates nothing when it is called again, unless rows have grown.
  const std::vector<std::int64_t>& pivots(const std::vector<Row>& given, std::int64_t n, std::size_t nullity,
                                          bool is_complete) {
    AtMostDependent choice(nullity);
    do eliminate(given, n, choice, is_complete);
    while (choice.goes_on());
    return chosen_;
  }

 private:
  void eliminate(const std::vector<Row>& given, std::int64_t n, AtMostDependent& choice, bool is_complete) {
    row_of_.assign(static_cast<std::size_t>(n), -1);
    work_.assign(static_cast<std::size_t>(n), 0.0);
    rows_ = given;
    chosen_.clear();
    pivot_.clear();
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      double size = 0;
      for (const auto& [column, value] : rows_[r]) size = std::max(size, std::abs(value));
      reduce(r, is_complete);
      // The largest entry, and the first of several that are equally large by symmetry.
      const Entry* best = nullptr;
      for (const auto& entry : rows_[r])
        if (row_of_[entry.column] < 0 && (!best || (1 - kTie) * std::abs(entry.value) > std::abs(best->value)))
          best = &entry;
      const bool is_dropped = choice.drops(best && best->value != 0 ? std::abs(best->value) / size : 0);
      chosen_.push_back(is_dropped ? -1 : best->column);
      pivot_.push_back(is_dropped ? 0 : best->value);
      if (!is_dropped) row_of_[best->column] = static_cast<std::int64_t>(r);
    }
  }

  // Takes earlier pivots out of row r, in the order in which they were chosen.
  void reduce(std::size_t r, bool is_complete) {
    Row& row = rows_[r];
    earlier_.clear();
    for (const auto& [column, value] : row) {
      work_[column] = value;
      const std::int64_t earlier = row_of_[column];
      if (!is_complete && earlier >= 0) earlier_.push_back(static_cast<std::size_t>(earlier));
    }
    for (std::size_t k = 0; k < r && is_complete; ++k)
      if (chosen_[k] >= 0) earlier_.push_back(k);
    std::sort(earlier_.begin(), earlier_.end());
    for (const std::size_t k : earlier_) {
      double& eliminated = work_[chosen_[k]];
      if (eliminated == 0) continue;
      const double factor = eliminated / pivot_[k];
      for (const auto& [column, value] : rows_[k]) work_[column] -= factor * value;
      eliminated = 0;
    }
    if (is_complete) {
      row.clear();
      for (std::size_t c = 0; c < work_.size(); ++c)
        if (work_[c] != 0) row.push_back({static_cast<std::int64_t>(c), work_[c]});
    }
    for (auto& [column, value] : row) value = std::exchange(work_[column], 0);
    // What was written beside the places of this row is forgotten.
    for (const std::size_t k : earlier_)
      for (const auto& [column, value] : rows_[k]) work_[column] = 0;
  }

  std::vector<Row> rows_;
  std::vector<std::int64_t> chosen_;
  std::vector<double> pivot_;
  std::vector<std::int64_t> row_of_;  // the row whose pivot is in a column, or -1
  std::vector<double> work_;
  std::vector<std::size_t> earlier_;
};

template <class T>
class PartitionChart final : public Chart<T> {
 public:
  // key: for each constraint its dependent coordinate, or -1.
  PartitionChart(Jacobian<T>& G, std::int64_t n, std::vector<std::int64_t> key, std::int64_t size)
      : Chart<T>(std::move(key), size), G_(G), values_(G_.entries().size(), T(0)) {
    std::vector<int> place(static_cast<std::size_t>(n), -1), row_place(this->key().size(), -1);  // in G_D
    for (std::size_t r = 0; r < this->key().size(); ++r) {
      if (this->key()[r] < 0) continue;
      row_place[r] = static_cast<int>(rows_.size());
      place[this->key()[r]] = static_cast<int>(rows_.size());
      rows_.push_back(r);
      dependent_.push_back(static_cast<std::size_t>(this->key()[r]));
    }
    std::vector<std::size_t> independent_place(place.size(), 0);
    for (std::size_t j = 0; j < place.size(); ++j) {
      if (place[j] >= 0) continue;
      independent_place[j] = independent_.size();
      independent_.push_back(j);
    }
    for (std::size_t e = 0; e < values_.size(); ++e) {
      const auto [row, column] = G_.entries()[e];
      const int r = row_place[row];
      if (r < 0) continue;
      const auto c = static_cast<std::size_t>(column);
      if (place[c] >= 0) {
        matrix_.push_back({r, place[c]});
        in_matrix_.push_back(e);
      } else {
        beside_.push_back({static_cast<std::size_t>(r), independent_place[c], e});
      }
    }
    lu_.emplace(static_cast<int>(rows_.size()), matrix_, natural_order(static_cast<int>(rows_.size())));
    matrix_values_.assign(matrix_.size(), T(0));
    right_.assign(rows_.size(), T(0));
    direction_.resize(independent_.size());
    for (std::size_t k = 0; k < direction_.size(); ++k) direction_[k] = T(probe_entry(k));
    tangent_.assign(static_cast<std::size_t>(n), T(0));
    of_tangent_.assign(this->key().size(), {});
    zero_.assign(this->key().size(), T(0));
  }

  // Whether the rows that are not used follow from the others, at the point where the chart is factored: then G(r, .)
  // vanishes along tangents too. (Near the manifold only nearly so if constraints are dependent on the manifold.)
  bool has_all_independent_rows() {
    if (rows_.size() == this->key().size()) return true;
    lift(direction_.data(), zero_.data(), tangent_.data());
    std::fill(of_tangent_.begin(), of_tangent_.end(), Sum{});
    for (std::size_t e = 0; e < values_.size(); ++e) {
      const double term = static_cast<double>(values_[e] * tangent_[G_.entries()[e].column]);
      Sum& sum = of_tangent_[G_.entries()[e].row];
      sum.value += term;
      sum.size += std::abs(term);
    }
    return std::all_of(of_tangent_.begin(), of_tangent_.end(),
                       [](const Sum& sum) { return std::abs(sum.value) <= kTie * sum.size; });
  }

  void coordinates(const T* q, T* delta) const override {
    for (std::size_t k = 0; k < independent_.size(); ++k) delta[k] = q[independent_[k]];
  }

  void transpose(const T* theta, T* x) const override {
    for (std::size_t k = 0; k < independent_.size(); ++k) x[independent_[k]] = theta[k];
    for (const std::size_t j : dependent_) x[j] = T(0);
  }

  bool factor(const T* q, const T& t) override {
    G_.evaluate(q, t, values_.data());
    for (std::size_t k = 0; k < in_matrix_.size(); ++k) matrix_values_[k] = values_[in_matrix_[k]];
    return rows_.empty() || all(lu_->factor(matrix_values_.data()).regular);
  }

  void lift(const T* u, const T* c, T* v) override {
    for (std::size_t k = 0; k < rows_.size(); ++k) right_[k] = c[rows_[k]];
    for (const auto& [row, column, e] : beside_) right_[row] -= values_[e] * u[column];
    if (!rows_.empty()) lu_->solve(right_.data());
    for (std::size_t k = 0; k < independent_.size(); ++k) v[independent_[k]] = u[k];
    for (std::size_t k = 0; k < dependent_.size(); ++k) v[dependent_[k]] = right_[k];
  }

  void pull_back(const T* x, T* theta) override {
    for (std::size_t k = 0; k < dependent_.size(); ++k) right_[k] = x[dependent_[k]];
    if (!rows_.empty()) lu_->solve_transposed(right_.data());
    for (std::size_t k = 0; k < independent_.size(); ++k) theta[k] = x[independent_[k]];
    for (const auto& [row, column, e] : beside_) theta[column] -= values_[e] * right_[row];
  }

 private:
  struct Beside {  // an entry of G_I
    std::size_t row, column, entry;
  };
  struct Sum {
    double value = 0, size = 0;
  };

  Jacobian<T>& G_;
  std::vector<T> values_, matrix_values_, right_;
  std::vector<std::size_t> rows_, dependent_, independent_, in_matrix_;
  std::vector<MatrixEntry> matrix_;
  std::vector<Beside> beside_;
  std::optional<SparseLu<T>> lu_;
  std::vector<T> direction_, tangent_, zero_;
  std::vector<Sum> of_tangent_;
};

template <class T>
class PartitionAtlas final : public Atlas<T> {
 public:
  explicit PartitionAtlas(Manifold<T>& manifold)
      : matrix_(manifold.matrix()),
        system_(manifold.system()),
        G_(system_),
        values_(G_.entries().size(), T(0)),
        rows_(static_cast<std::size_t>(system_.m())) {}

  std::shared_ptr<Chart<T>> at(const T* q, const T& t) override {
    for (auto& row : rows_) row.clear();
    G_.evaluate(q, t, values_.data());
    for (std::size_t e = 0; e < values_.size(); ++e)
      rows_[G_.entries()[e].row].push_back({G_.entries()[e].column, static_cast<double>(values_[e])});
    for (auto& row : rows_) merge(row);
    const std::size_t nullity = matrix_.nullity();
    if (system_.n() > kComplete) {
      const auto chart = chart_of(elimination_.pivots(rows_, system_.n(), nullity, false));
      if (chart->factor(q, t) && chart->has_all_independent_rows()) return chart;
    }
    return chart_of(elimination_.pivots(rows_, system_.n(), nullity, true));
  }

  std::shared_ptr<Chart<T>> find(const std::vector<std::int64_t>& key) override {
    const auto is_coordinate = [this](std::int64_t column) { return column >= -1 && column < system_.n(); };
    if (key.size() != rows_.size() || !std::all_of(key.begin(), key.end(), is_coordinate)) return nullptr;
    return chart_of(key);
  }

 private:
  // Up to so many coordinates elimination may as well be complete.
  static constexpr std::int64_t kComplete = 60;

  std::shared_ptr<PartitionChart<T>> chart_of(const std::vector<std::int64_t>& key) {
    return std::static_pointer_cast<PartitionChart<T>>(charts_.find(key, [&] {
      const auto dependent = std::count_if(key.begin(), key.end(), [](std::int64_t column) { return column >= 0; });
      return std::make_shared<PartitionChart<T>>(G_, system_.n(), key, system_.n() - dependent);
    }));
  }

  // Columns ascending, each once.
  static void merge(Elimination::Row& row) {
    std::sort(row.begin(), row.end(), [](const auto& a, const auto& b) { return a.column < b.column; });
    std::size_t kept = 0;
    for (std::size_t k = 0; k < row.size(); ++k) {
      if (kept > 0 && row[kept - 1].column == row[k].column) {
        row[kept - 1].value += row[k].value;
      } else {
        row[kept++] = row[k];
      }
    }
    row.resize(kept);
  }

  const ConstraintMatrix<T>& matrix_;
  System<T>& system_;
  Jacobian<T> G_;
  std::vector<T> values_;
  std::vector<Elimination::Row> rows_;
  Elimination elimination_;
  ChartCache<T> charts_;
};

}  // namespace

template <class T>
std::unique_ptr<Atlas<T>> make_partition_atlas(Manifold<T>& manifold) {
  return std::make_unique<PartitionAtlas<T>>(manifold);
}

#define COTANGENT_FUNCTIONS(T) template std::unique_ptr<Atlas<T>> make_partition_atlas(Manifold<T>&);
COTANGENT_FOR_TRAJECTORIES(COTANGENT_FUNCTIONS)

}  // namespace cotangent
