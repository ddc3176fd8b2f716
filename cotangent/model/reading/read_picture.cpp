#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cotangent/base/suggest.hpp"
#include "cotangent/model/language/resolver.hpp"
#include "cotangent/model/reading/sections.hpp"

namespace cotangent {
namespace {

using Keys = std::span<const std::string_view>;

constexpr std::array<std::string_view, 9> kPictureKeys{"points", "bodies", "rods", "lines", "polygons",
                                                       "trails", "speed",  "view", "up"};
constexpr std::array<std::string_view, 4> kPointKeys{"each", "at", "size", "colour"};
constexpr std::array<std::string_view, 7> kBodyKeys{"each", "at", "angle", "quaternion", "axes", "box", "colour"};
constexpr std::array<std::string_view, 2> kPathKeys{"each", "path"};

Value read_vector_value(Reading& reading, const DocumentValue& value, std::string_view what) {
  const Value result = value.is_list() ? read_vector(reading.scope, value, kFor.picture, what)
                                       : read_value(reading.scope, value, kFor.picture, what);
  if (!result.is_vector())
    throw ModelError(value.text_place(), fmt::format("{} is a number, not a vector", what),
                     "write a vector of 2 or 3 components, [\"x\", \"y\"]");
  return result;
}

double positive(Reading& reading, const DocumentValue& value, std::string_view what) {
  const auto x = static_cast<double>(read_constant(reading.scope, value, what));
  if (!(x > 0)) throw ModelError(value.text_place(), fmt::format("{} must be positive", what));
  return x;
}

std::int64_t read_colour(const DocumentEntry& entry) {
  const bool is_one = entry.value.kind() == DocumentValue::Kind::integer;
  if (!is_one || entry.value.integer() < 1 || entry.value.integer() > 6)
    throw ModelError(entry.value.where, "a colour is a number from 1 to 6");
  return entry.value.integer();
}

/// Reads [picture]: first points, then what refers to them by their numbers.
class PictureReader {
 public:
  explicit PictureReader(Reading& reading) : reading_(reading), references_(*reading.model.graph) {
    // Points have names of their own: one may be called as a coordinate, or as a parameter, is.
    for (const Parameter& parameter : reading.model.parameters)
      references_.declare_parameter(parameter, reading.scope.find(parameter.name)->where);
  }

  Picture read(const DocumentValue& section) {
    check_keys(section, kPictureKeys, {}, "[picture]");
    each_entry(section, "points", [&](const DocumentEntry& entry) { read_points(entry); });
    each_entry(section, "bodies", [&](const DocumentEntry& entry) { read_body(entry); });
    for (const auto& [key, paths] : {std::pair{"rods", &picture_.rods}, std::pair{"lines", &picture_.lines},
                                     std::pair{"polygons", &picture_.polygons}, std::pair{"trails", &picture_.trails}})
      read_paths(section, key, *paths);
    if (const DocumentEntry* speed = section.find("speed"))
      picture_.speed = positive(reading_, speed->value, "the speed of a picture");
    if (const DocumentEntry* up = section.find("up")) {
      picture_.up = expect_string(up->value, "'up'").text();
      if (picture_.up != "x" && picture_.up != "y" && picture_.up != "z")
        throw ModelError(up->value.text_place(), "'up' is one of the axes \"x\", \"y\" and \"z\"");
    }
    if (const DocumentEntry* view = section.find("view")) {
      const bool is_pair = view->value.is_list() && view->value.items().size() == 2;
      if (!is_pair) throw ModelError(view->value.where, "a view is [azimuth, elevation], in degrees");
      picture_.azimuth = static_cast<double>(read_constant(reading_.scope, view->value.items()[0], "the azimuth"));
      picture_.elevation = static_cast<double>(read_constant(reading_.scope, view->value.items()[1], "the elevation"));
    }
    if (!dimension_)
      throw ModelError(section.where, "[picture] shows nothing", "add points = { bob = [\"x\", \"y\"] }");
    picture_.dimension = *dimension_;
    return std::move(picture_);
  }

 private:
  template <class F>
  void each_entry(const DocumentValue& section, std::string_view key, const F& f) {
    const DocumentEntry* table = section.find(key);
    if (!table) return;
    if (!table->value.is_table()) wrong_type(table->value, fmt::format("'{}'", key), "a table of names");
    for (const DocumentEntry& entry : table->value.entries()) f(entry);
  }

  // Everything is in the plane, or everything in space.
  void agree(std::size_t dimension, const Location& where) {
    if (dimension != 2 && dimension != 3)
      throw ModelError(where, fmt::format("a point of a picture has 2 or 3 components, not {}", dimension));
    const auto given = static_cast<std::int64_t>(dimension);
    if (dimension_.value_or(given) != given)
      throw ModelError(where, fmt::format("this has {} components, and what stands before it {}", given, *dimension_),
                       "a picture is in the plane or in space");
    dimension_ = given;
  }

  // The loops, the value of `at` and further vectors of each instance, one after the other.
  template <class F>
  NamedValues read_family_of(const DocumentEntry& entry, Keys keys, std::string_view what, const F& more) {
    check_name(entry, "point");
    const bool is_table = entry.value.is_table();
    const DocumentEntry* at = nullptr;
    if (is_table) {
      check_keys(entry.value, keys, {}, what);
      at = entry.value.find("at");
      if (!at) throw ModelError(entry.key.whole(), fmt::format("{} has no 'at'", what), "at = [\"x\", \"y\"]");
    }
    const DocumentValue& position = at ? at->value : entry.value;
    const DocumentEntry* each = is_table ? entry.value.find("each") : nullptr;
    NamedValues values =
        read_family(reading_.scope, entry.name(), {each ? &expect_string(each->value, "'each'") : nullptr, &position},
                    [&] { return Value(more(read_vector_value(reading_, position, what))); });
    values.where = position.text_place();
    return values;
  }

  void read_points(const DocumentEntry& entry) {
    const std::string what = fmt::format("the point '{}'", entry.name());
    Picture::Points points{read_family_of(entry, kPointKeys, what, [](const Value& at) { return at.components(); })};
    agree(points.components.size(), points.where);
    if (entry.value.is_table()) {
      if (const DocumentEntry* size = entry.value.find("size"))
        points.size = positive(reading_, size->value, "the size of a point");
      if (const DocumentEntry* colour = entry.value.find("colour")) points.colour = read_colour(*colour);
    }
    declare(entry, points);
    picture_.points.push_back(std::move(points));
  }

  // In paths the name of a point stands for its number.
  void declare(const DocumentEntry& entry, const NamedValues& points) {
    Graph& graph = *reading_.model.graph;
    Expr number = graph.constant(0);
    std::int64_t count = 1;
    for (const Loop& loop : points.loops) {
      if (!loop.lo.is_constant() || !loop.hi.is_constant())
        throw ModelError(points.where,
                         fmt::format("the loops of '{}' have bounds that depend on each other", entry.name()),
                         "write the points over an index list, \"(i,j) in pairs\"");
      const Expr length = loop.hi - loop.lo + 1.0;
      number = number * length + (graph.symbol_expr(loop.index) - loop.lo);
      count *= std::max<std::int64_t>(0, static_cast<std::int64_t>(length.value()));
    }
    auto family = std::make_shared<NamedValues>(points);
    family->components = {number + static_cast<double>(count_)};
    family->is_vector = false;
    Named named{.kind = NameKind::definition, .where = entry.key.whole()};
    if (points.loops.empty()) {
      named.value = Value(family->components, false);
    } else {
      named.family = family;
    }
    references_.redeclare(entry.name(), named);
    ranges_[entry.name()] = {count_, count};
    count_ += count;
  }

  void read_body(const DocumentEntry& entry) {
    const std::string what = fmt::format("the body '{}'", entry.name());
    if (!entry.value.is_table()) wrong_type(entry.value, what, "a table { at = ..., box = ... }");
    Picture::Body body{read_family_of(entry, kBodyKeys, what, [&](const Value& at) {
      agree(at.components().size(), entry.value.where);
      std::vector<Expr> numbers = at.components();
      for (const Expr& x : axes(entry, what)) numbers.push_back(x);
      return numbers;
    })};
    if (const DocumentEntry* box = entry.value.find("box")) {
      const bool fits = box->value.is_list() && std::ssize(box->value.items()) == *dimension_;
      if (!fits)
        throw ModelError(box->value.where, fmt::format("the box of {} is a list of {} lengths", what, *dimension_));
      for (const auto& edge : box->value.items()) body.box.push_back(positive(reading_, edge, "an edge of a box"));
    } else {
      throw ModelError(entry.key.whole(), fmt::format("{} has no 'box'", what),
                       "box = [1, 0.5, 0.2] are the lengths of its edges");
    }
    if (const DocumentEntry* colour = entry.value.find("colour")) body.colour = read_colour(*colour);
    picture_.bodies.push_back(std::move(body));
  }

  // The axes of a body in space, one after the other. Of a unit quaternion (w, r) that turns body into space they are
  //
  //   e_k + 2 w (r x e_k) + 2 r x (r x e_k).
  std::vector<Expr> axes(const DocumentEntry& entry, std::string_view what) {
    Graph& graph = *reading_.model.graph;
    const DocumentEntry *angle = entry.value.find("angle"), *quaternion = entry.value.find("quaternion"),
                        *axes = entry.value.find("axes");
    if ((angle != nullptr) + (quaternion != nullptr) + (axes != nullptr) > 1)
      throw ModelError(entry.key.whole(), fmt::format("{} is turned twice", what),
                       "give one of 'angle', 'quaternion' and 'axes'");
    if (angle) {
      if (*dimension_ != 2) throw ModelError(angle->key.whole(), "only a body in the plane has an angle");
      const Expr phi = read_number(reading_.scope, angle->value, kFor.picture, "an angle");
      return {cos(phi), sin(phi), -sin(phi), cos(phi)};
    }
    if (quaternion) {
      const Value q = read_vector_value(reading_, quaternion->value, "a quaternion");
      if (*dimension_ != 3 || q.size() != 4)
        throw ModelError(quaternion->value.text_place(), "a quaternion has 4 components, and turns a body in space");
      const auto& [w, x, y, z] = std::array{q.components()[0], q.components()[1], q.components()[2], q.components()[3]};
      return {1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + w * z),       2.0 * (x * z - w * y),
              2.0 * (x * y - w * z),       1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + w * x),
              2.0 * (x * z + w * y),       2.0 * (y * z - w * x),       1.0 - 2.0 * (x * x + y * y)};
    }
    std::vector<Expr> numbers;
    if (axes) {
      const bool fits = axes->value.is_list() && std::ssize(axes->value.items()) == *dimension_;
      if (!fits)
        throw ModelError(axes->value.where, fmt::format("the axes of {} are a list of {} vectors", what, *dimension_));
      for (const auto& axis : axes->value.items()) {
        const Value e = read_vector_value(reading_, axis, "an axis");
        agree(static_cast<std::size_t>(e.size()), axis.text_place());
        for (const Expr& x : e.components()) numbers.push_back(x);
      }
      return numbers;
    }
    for (std::int64_t k = 0; k < *dimension_; ++k)
      for (std::int64_t c = 0; c < *dimension_; ++c) numbers.push_back(graph.constant(c == k ? 1 : 0));
    return numbers;
  }

  void read_paths(const DocumentValue& section, std::string_view key, std::vector<Picture::Path>& paths) {
    const DocumentEntry* entry = section.find(key);
    if (!entry) return;
    if (!entry->value.is_list()) wrong_type(entry->value, fmt::format("'{}'", key), "a list");
    const std::size_t least = key == "trails" ? 1 : 2;
    for (const DocumentValue& item : entry->value.items()) {
      if (!item.is_table()) {
        paths.push_back({{}, read_path(item, least)});
        continue;
      }
      check_keys(item, kPathKeys, {}, fmt::format("'{}'", key));
      const DocumentEntry *each = item.find("each"), *path = item.find("path");
      if (!each || !path)
        throw ModelError(item.where, "a family of paths has 'each' and 'path'",
                         "{ each = \"i in 2..N\", path = [\"a[i-1]\", \"a[i]\"] }");
      const FamilyLoops family(references_, parse_loops(expect_string(each->value, "'each'")));
      paths.push_back({family.loops, read_path(path->value, least)});
    }
  }

  // "bob", or ["pivot", "bob"].
  std::vector<Picture::Reference> read_path(const DocumentValue& value, std::size_t least) {
    std::vector<Picture::Reference> path;
    std::int64_t count = 0;
    const auto add = [&](const DocumentValue& item) {
      path.push_back(read_reference(expect_string(item, "a point of a path")));
      count += path.back().count;
    };
    if (value.is_list()) {
      for (const DocumentValue& item : value.items()) add(item);
    } else {
      add(value);
    }
    if (count < static_cast<std::int64_t>(least))
      throw ModelError(value.text_place(), "a path leads from one point to another", "[\"pivot\", \"bob\"]");
    return path;
  }

  // "bob", "link[i]", or "link" for all of them.
  Picture::Reference read_reference(const Excerpt& text) {
    const Syntax syntax = parse_expression(text);
    const auto& root = syntax.root();
    const std::string name = syntax.text(root.name);
    const bool is_reference = root.kind == SyntaxKind::name || root.kind == SyntaxKind::entry;
    const auto range = ranges_.find(name);
    if (!is_reference || range == ranges_.end()) {
      std::vector<std::string> names;
      for (const auto& [known, numbers] : ranges_) names.push_back(known);
      throw ModelError(syntax.locate(root), fmt::format("there is no point '{}' in the picture", text.text()),
                       did_you_mean(name, names));
    }
    if (root.kind == SyntaxKind::name)
      return {reading_.model.graph->constant(static_cast<double>(range->second.first)), range->second.second};
    return {Resolver(references_, syntax, kFor.index).number(), 1};
  }

  Reading& reading_;
  Scope references_;
  Picture picture_;
  std::optional<std::int64_t> dimension_;
  std::int64_t count_ = 0;
  std::map<std::string, std::pair<std::int64_t, std::int64_t>> ranges_;  // the first number and how many, by name
};

}  // namespace

void read_picture(Reading& reading) {
  const DocumentValue* section = reading.section("picture");
  if (section) reading.model.picture = PictureReader(reading).read(*section);
}

}  // namespace cotangent
