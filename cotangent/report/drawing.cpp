#include "cotangent/report/drawing.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string_view>

#include "cotangent/model/language/index_function.hpp"
#include "cotangent/model/language/shape.hpp"
#include "cotangent/system/matrix/jacobian.hpp"

namespace cotangent {
namespace {

using Path = std::vector<std::int64_t>;

ParameterMap parameters_of(const Model& model) {
  ParameterMap map;
  for (const Parameter& parameter : model.parameters) map[parameter.symbol] = &parameter;
  return map;
}

std::int64_t instance_count(const std::vector<Loop>& loops, const ParameterMap& parameters) {
  std::int64_t count = 0;
  Instances(loops, parameters).each([&] { return ++count, false; });
  return count;
}

Drawing::Paths expand(const std::vector<Picture::Path>& paths, const ParameterMap& parameters) {
  Drawing::Paths result;
  for (const auto& [loops, points] : paths) {
    std::vector<SymbolId> indices;
    for (const Loop& loop : loops) indices.push_back(loop.index);
    std::vector<IndexFunction> first;
    for (const auto& point : points) first.emplace_back(point.first, indices, parameters);
    Instances instances(loops, parameters);
    instances.each([&] {
      Path path;
      for (std::size_t k = 0; k < points.size(); ++k) {
        const auto from = static_cast<std::int64_t>(std::nearbyint(first[k](instances.point())));
        for (std::int64_t n = 0; n < points[k].count; ++n) path.push_back(from + n);
      }
      result.push_back(std::move(path));
      return false;
    });
  }
  return result;
}

void count(Drawing& drawing, const ParameterMap& parameters) {
  for (const auto& points : drawing.picture.points) {
    const std::int64_t instances = instance_count(points.loops, parameters);
    drawing.point_count += instances;
    drawing.numbers += instances * drawing.picture.dimension;
  }
  for (const auto& body : drawing.picture.bodies)
    drawing.numbers += instance_count(body.loops, parameters) * static_cast<std::int64_t>(body.components.size());
}

// A family of points whose components are entries of coordinates.
struct PlacedPoints {
  Picture::Points points;
  std::vector<std::array<std::int64_t, 3>> entries = {};  // of q, for each point; -1 beyond the dimension
};

// The instances of an array in loops i, j, ... over all indices but the last `without`.
std::vector<Loop> loops_over(Graph& graph, const std::vector<std::int64_t>& shape, std::size_t without) {
  std::vector<Loop> loops;
  for (std::size_t k = 0; k + without < shape.size(); ++k)
    loops.push_back({graph.declare(std::string(1, static_cast<char>('i' + k)), SymbolKind::index), graph.constant(1),
                     graph.constant(static_cast<double>(shape[k]))});
  return loops;
}

Expr component(Graph& graph, const Coordinate& c, std::vector<Expr> indices) {
  return indices.empty() ? graph.symbol_expr(c.q) : graph.entry(c.q, indices);
}

// Points of which component k is the coordinate parts[k], or, if there is one part only, its last index is k.
PlacedPoints placed(Graph& graph, const std::string& name, const std::vector<const Coordinate*>& parts) {
  const bool is_array = parts.size() == 1;
  const Coordinate& first = *parts.front();
  const std::size_t dimension = is_array ? static_cast<std::size_t>(first.shape.back()) : parts.size();
  PlacedPoints result;
  NamedValues& values = result.points;
  values.name = name;
  values.is_vector = true;
  values.loops = loops_over(graph, first.shape, is_array ? 1 : 0);
  for (const Loop& loop : values.loops) values.labels.push_back(graph.symbol_expr(loop.index));
  for (std::size_t k = 0; k < dimension; ++k) {
    std::vector<Expr> indices = values.labels;
    if (is_array) indices.push_back(graph.constant(static_cast<double>(k + 1)));
    values.components.push_back(component(graph, *parts[is_array ? 0 : k], indices));
  }
  // Instances have the innermost loop fastest, entries of coordinates the first index.
  std::vector<std::int64_t> shape(first.shape.begin(), first.shape.end() - (is_array ? 1 : 0));
  const std::vector<std::int64_t> reversed(shape.rbegin(), shape.rend());
  for (std::int64_t n = 0; n < entry_count(shape); ++n) {
    EntryIndices indices = indices_at(n, reversed);
    std::reverse(indices.begin(), indices.end());
    std::array<std::int64_t, 3> entries{-1, -1, -1};
    for (std::size_t k = 0; k < dimension; ++k) {
      EntryIndices of_part = indices;
      if (is_array) of_part.push_back(static_cast<std::int64_t>(k + 1));
      const Coordinate& part = *parts[is_array ? 0 : k];
      entries[k] = part.offset + static_cast<std::int64_t>(place_of(of_part, part.shape).value());
    }
    result.entries.push_back(entries);
  }
  return result;
}

std::vector<PlacedPoints> points_by_names(const Model& model) {
  Graph& graph = *model.graph;
  std::map<std::string_view, const Coordinate*> by_name;
  for (const Coordinate& c : model.coordinates) by_name[c.name] = &c;
  const auto partner = [&](const Coordinate& x, char letter) -> const Coordinate* {
    const auto found = by_name.find(letter + x.name.substr(1));
    return found != by_name.end() && found->second->shape == x.shape ? found->second : nullptr;
  };
  std::vector<PlacedPoints> result;
  for (const Coordinate& c : model.coordinates) {
    if (!c.shape.empty() && (c.shape.back() == 2 || c.shape.back() == 3) && c.name.front() != 'x') {
      result.push_back(placed(graph, c.name, {&c}));
    } else if (c.name.front() == 'x') {
      std::vector<const Coordinate*> parts{&c};
      for (const char letter : {'y', 'z'})
        if (const Coordinate* other = partner(c, letter)) parts.push_back(other);
      if (parts.size() > 1) result.push_back(placed(graph, "point" + c.name.substr(1), parts));
    }
  }
  // All in the plane, or all in space.
  if (!result.empty())
    std::erase_if(result, [d = result.front().points.components.size()](const auto& other) {
      return other.points.components.size() != d;
    });
  return result;
}

using Vector = std::array<double, 3>;

Vector operator-(const Vector& a, const Vector& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
double dot(const Vector& a, const Vector& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

// s with a = s b; nothing if there is none.
std::optional<double> ratio(const Vector& a, const Vector& b) {
  const double s = dot(a, b) / dot(b, b);
  const Vector rest = a - Vector{s * b[0], s * b[1], s * b[2]};
  const bool is_parallel = std::isfinite(s) && dot(rest, rest) <= 1e-16 * dot(a, a);
  return is_parallel && s != 0 ? std::optional(s) : std::nullopt;
}

/// Rods from rows of G.
template <class T>
class RodFinder {
 public:
  RodFinder(const Model& model, Manifold<T>& manifold, const PhasePoint<T>& z, const std::vector<PlacedPoints>& points)
      : model_(model), G_(manifold.system()), q_(z.q), z_(z) {
    for (const auto& family : points) entries_.insert(entries_.end(), family.entries.begin(), family.entries.end());
    point_of_.assign(q_.size(), -1);
    for (std::size_t k = 0; k < entries_.size(); ++k)
      for (const std::int64_t entry : entries_[k])
        if (entry >= 0) point_of_[static_cast<std::size_t>(entry)] = static_cast<std::int64_t>(k);
  }

  // Adds rods, and the points at rest at their ends, to a drawing.
  void find(Drawing& drawing) {
    std::vector<T> here(G_.entries().size()), there(here.size());
    G_.evaluate(q_.data(), z_.t, here.data());
    // Each point is moved in a direction of its own.
    const Vector step{0.37, -0.23, 0.31};
    std::vector<T> moved = q_;
    for (const auto& entries : entries_)
      for (std::size_t k = 0; k < 3; ++k)
        if (entries[k] >= 0) moved[static_cast<std::size_t>(entries[k])] += T(step[k]);
    G_.evaluate(moved.data(), z_.t, there.data());

    std::map<std::int64_t, std::map<std::int64_t, std::pair<Vector, Vector>>> rows;  // by row and point
    std::vector<bool> is_other(static_cast<std::size_t>(model_.constraints.empty() ? 0 : row_count()));
    for (std::size_t e = 0; e < here.size(); ++e) {
      const auto [row, column] = G_.entries()[e];
      const std::int64_t point = point_of_[static_cast<std::size_t>(column)];
      if (point < 0) {
        is_other[static_cast<std::size_t>(row)] = true;
        continue;
      }
      auto& [a, b] = rows[row][point];
      for (std::size_t k = 0; k < 3; ++k)
        if (entries_[static_cast<std::size_t>(point)][k] == column) {
          a[k] += static_cast<double>(here[e]);
          b[k] += static_cast<double>(there[e]);
        }
    }
    for (const auto& [row, parts] : rows) {
      if (is_other[static_cast<std::size_t>(row)]) continue;
      if (parts.size() == 2) join(drawing, *parts.begin(), *parts.rbegin());
      if (parts.size() == 1) pin(drawing, parts.begin()->first, parts.begin()->second, step);
    }
  }

 private:
  using Part = std::pair<const std::int64_t, std::pair<Vector, Vector>>;

  std::int64_t row_count() const {
    std::int64_t rows = 0;
    for (const auto& place : G_.entries()) rows = std::max(rows, place.row + 1);
    return rows;
  }

  Vector position(std::int64_t point) const {
    Vector x{};
    for (std::size_t k = 0; k < 3; ++k)
      if (const std::int64_t entry = entries_[static_cast<std::size_t>(point)][k]; entry >= 0)
        x[k] = static_cast<double>(q_[static_cast<std::size_t>(entry)]);
    return x;
  }

  void join(Drawing& drawing, const Part& a, const Part& b) const {
    const Vector d = position(a.first) - position(b.first);
    const auto s = ratio(a.second.first, d), r = ratio(b.second.first, d);
    if (s && r && std::abs(*s + *r) <= 1e-8 * std::abs(*s)) drawing.rods.push_back({a.first, b.first});
  }

  void pin(Drawing& drawing, std::int64_t point, const std::pair<Vector, Vector>& gradients, Vector step) {
    const auto& [a, b] = gradients;
    for (std::size_t k = 0; k < 3; ++k)
      if (entries_[static_cast<std::size_t>(point)][k] < 0) step[k] = 0;
    const auto s = ratio(b - a, step);
    if (!s) return;
    const Vector x = position(point);
    const Vector centre = x - Vector{a[0] / *s, a[1] / *s, a[2] / *s};
    drawing.rods.push_back({fixed(drawing, centre), point});
  }

  // The number of the point at rest there.
  std::int64_t fixed(Drawing& drawing, const Vector& centre) {
    for (std::size_t k = 0; k < fixed_.size(); ++k)
      if (const Vector d = fixed_[k] - centre; dot(d, d) <= 1e-16 * (1 + dot(centre, centre)))
        return std::ssize(entries_) + static_cast<std::int64_t>(k);
    fixed_.push_back(centre);
    NamedValues pivot;
    pivot.name = "pivot" + std::to_string(fixed_.size());
    pivot.is_vector = true;
    for (std::size_t k = 0; k < static_cast<std::size_t>(drawing.picture.dimension); ++k)
      pivot.components.push_back(model_.graph->constant(std::abs(centre[k]) < 1e-12 ? 0.0 : centre[k]));
    drawing.picture.points.push_back({pivot});
    return std::ssize(entries_) + std::ssize(fixed_) - 1;
  }

  const Model& model_;
  Jacobian<T> G_;
  std::vector<T> q_;
  const PhasePoint<T>& z_;
  std::vector<std::array<std::int64_t, 3>> entries_;  // of the points that move
  std::vector<std::int64_t> point_of_;                // by entries of q
  std::vector<Vector> fixed_;
};

}  // namespace

Drawing stated_drawing(const Model& model) {
  const ParameterMap parameters = parameters_of(model);
  const Picture& picture = *model.picture;
  Drawing drawing{.picture = picture,
                  .rods = expand(picture.rods, parameters),
                  .lines = expand(picture.lines, parameters),
                  .polygons = expand(picture.polygons, parameters),
                  .trails = expand(picture.trails, parameters)};
  count(drawing, parameters);
  return drawing;
}

template <class T>
std::optional<Drawing> derived_drawing(const Model& model, Manifold<T>& manifold, const PhasePoint<T>& z) {
  const std::vector<PlacedPoints> points = points_by_names(model);
  if (points.empty()) return std::nullopt;
  Drawing drawing;
  drawing.is_stated = false;
  for (const auto& family : points) drawing.picture.points.push_back(family.points);
  drawing.picture.dimension = std::ssize(points.front().points.components);
  if (!model.constraints.empty() && !model.functions) RodFinder<T>(model, manifold, z, points).find(drawing);
  std::int64_t last = -1;
  for (const auto& family : points) last += std::ssize(family.entries);
  drawing.trails = {{last}};
  count(drawing, parameters_of(model));
  return drawing;
}

template std::optional<Drawing> derived_drawing(const Model&, Manifold<double>&, const PhasePoint<double>&);
template std::optional<Drawing> derived_drawing(const Model&, Manifold<Quad>&, const PhasePoint<Quad>&);

}  // namespace cotangent
