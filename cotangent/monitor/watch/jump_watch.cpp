#include "cotangent/monitor/watch/jump_watch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>
#include <utility>

#include "cotangent/derivatives/derivatives.hpp"
#include "cotangent/elements/refusal.hpp"
#include "cotangent/expr/algorithm.hpp"
#include "cotangent/formulation/formulation.hpp"
#include "cotangent/manifold/redundancy.hpp"

namespace cotangent {
namespace {

using Of = PiecewiseFamily::Of;

// A jump is at least this much of what the functions on both sides of it differ by at the ends of the step, and more
// than rounding errors of either.
constexpr double kPart = 1e-6, kRounding = 1e-12;
// Families that have changed their pieces this often without a jump have none.
constexpr std::int64_t kMostLooks = 1000;

// Whether gradients of a function act on the motion, or only its values.
bool has_gradient(Of of) { return of != Of::force && of != Of::rate; }
// Whether values do.
bool has_value(Of of) { return of != Of::dissipation; }

}  // namespace

/// The line between the arguments of an instance at both ends of a step.
template <class T>
struct JumpWatch<T>::Line {
  const Watched& family;
  using Numbers = std::vector<double>;
  Numbers before, after;  // of pieces
  Numbers from, to;       // arguments and columns

  // e at the part theta of the line, on the pieces b.
  double value(Expr e, double theta, const Numbers& b = {}) const {
    return evaluate<double>(e, [&](SymbolId symbol, auto) {
      for (std::size_t k = 0; k < family.symbols.size(); ++k)
        if (family.symbols[k].symbol_id() == symbol) {
          return theta == 1 ? to[k] : from[k] + theta * (to[k] - from[k]);
        }
      for (std::size_t k = 0; k < b.size(); ++k)
        if (family.of.pieces.all[k].symbol.symbol_id() == symbol) return b[k];
      return std::nan("");
    });
  }

  Numbers numbers(double theta) const {
    Numbers b;
    for (const Piece& piece : family.of.pieces.all) b.push_back(value(piece.number, theta));
    return b;
  }

  // The first place after theta where the pieces are not b.
  double change(double theta, const Numbers& b) const {
    double low = theta, high = 1;
    for (double middle = (low + high) / 2; middle > low && middle < high; middle = (low + high) / 2)
      (numbers(middle) == b ? low : high) = middle;
    return high;
  }

  bool jumps(Expr smooth, double theta, const Numbers& b, const Numbers& c) const {
    const auto difference = [&](double at) { return std::abs(value(smooth, at, c) - value(smooth, at, b)); };
    const double here = difference(theta);
    if (!(here > kRounding * (std::abs(value(smooth, theta, b)) + std::abs(value(smooth, theta, c))))) return false;
    double ends = 0;
    for (const double end : {difference(0), difference(1)})
      if (std::isfinite(end)) ends = std::max(ends, end);
    return here > kPart * ends;
  }
};

template <class T>
std::shared_ptr<JumpWatch<T>> JumpWatch<T>::make(const Model& model, const Elements& elements, Backend backend) {
  auto graph = std::make_shared<Graph>(elements.graph);
  std::vector<Watched> families;
  for (PiecewiseFamily& of : piecewise_families(elements, *graph)) families.push_back({std::move(of), 0, 0, {}, {}});
  if (families.empty()) return nullptr;

  const auto frozen = std::make_shared<Graph>(*graph);
  frozen->freeze();
  Elements numbers = elements;
  numbers.graph = frozen;
  numbers.observables.clear();
  numbers.invariants.clear();
  numbers.invariant_rows.clear();
  Elements arguments = numbers;
  // One row for each expression in each instance. @return the first.
  const auto add = [](Elements& to, const Family& family, const std::vector<Expr>& expressions, std::int64_t& rows) {
    const auto first = rows, stride = static_cast<std::int64_t>(expressions.size());
    for (std::int64_t k = 0; k < stride; ++k) {
      to.observables.push_back(family);
      to.observables.back().f = expressions[static_cast<std::size_t>(k)];
      to.observables.back().row = IndexMap::affine(first + k, stride);
    }
    rows += family.count * stride;
    to.observable_rows = {{.name = "values", .first = 0, .count = rows, .indices = {}}};
    return first;
  };
  std::int64_t number_rows = 0, argument_rows = 0;
  for (Watched& watched : families) {
    const Family& family = watched.of.family;
    std::vector<Expr> pieces;
    for (const Piece& piece : watched.of.pieces.all) pieces.push_back(piece.number);
    for (const auto& slot : family.slots) watched.symbols.push_back(slot.symbol);
    for (const auto& column : family.columns) watched.symbols.push_back(column.symbol);
    watched.first = add(numbers, family, pieces, number_rows);
    watched.first_argument = add(arguments, family, watched.symbols, argument_rows);
  }
  return std::shared_ptr<JumpWatch>(new JumpWatch(model, std::move(graph), std::move(families),
                                                  std::make_shared<const Elements>(std::move(numbers)),
                                                  std::make_shared<const Elements>(std::move(arguments)), backend));
}

// Arguments are rarely looked at: not worth compiling.
template <class T>
JumpWatch<T>::JumpWatch(const Model& model, std::shared_ptr<Graph> graph, std::vector<Watched> families,
                        std::shared_ptr<const Elements> numbers, std::shared_ptr<const Elements> arguments,
                        Backend backend)
    : model_(model),
      graph_(std::move(graph)),
      families_(std::move(families)),
      numbers_(std::move(numbers), backend),
      arguments_(std::move(arguments), Backend::interpreter),
      looks_(families_.size(), 0) {}

template <class T>
void JumpWatch<T>::Values::start(const PhasePoint<T>& z) {
  settle_redundancy(manifold_, z);
}

template <class T>
void JumpWatch<T>::start(const PhasePoint<T>& z, LaneOf<T> /*h*/) {
  numbers_.start(z);
  arguments_.start(z);
  before_ = numbers_(z);
  std::fill(looks_.begin(), looks_.end(), 0);
  jumps_.clear();
}

template <class T>
void JumpWatch<T>::follow(const MadeStep<T>& step) {
  after_ = numbers_(step.end);
  has_arguments_ = false;
  for (std::size_t f = 0; f < families_.size(); ++f) {
    Watched& family = families_[f];
    const auto pieces = static_cast<std::ptrdiff_t>(family.of.pieces.all.size());
    for (std::int64_t k = 0; k < family.of.family.count && looks_[f] >= 0 && looks_[f] < kMostLooks; ++k) {
      const std::ptrdiff_t first = family.first + k * pieces;
      if (std::equal(before_.begin() + first, before_.begin() + first + pieces, after_.begin() + first)) continue;
      if (examine(family, k, step, looks_[f])) looks_[f] = -1;
    }
  }
  std::swap(before_, after_);
}

template <class T>
void JumpWatch<T>::look_ahead(const Point<T>& z, LaneOf<T> h) {
  const auto field = underlying_field(numbers_.manifold());
  PhasePoint<T> rate = z.state(), ahead = z.state();
  if (!field->field(z.state(), rate.q.data(), rate.p.data(), rate.s.data())) return;
  for (const auto part : {&PhasePoint<T>::q, &PhasePoint<T>::p, &PhasePoint<T>::s})
    for (std::size_t j = 0; j < (rate.*part).size(); ++j) (ahead.*part)[j] += T(h) * (rate.*part)[j];
  ahead.t += h;
  before_ = numbers_(z);
  follow({z, Point<T>(ahead), h});
}

template <class T>
bool JumpWatch<T>::examine(Watched& family, std::int64_t k, const MadeStep<T>& step, std::int64_t& looks) {
  if (!std::exchange(has_arguments_, true)) {
    from_ = arguments_(step.begin);
    to_ = arguments_(step.end);
  }
  const auto part = [k](const std::vector<T>& all, std::int64_t first, std::size_t size) {
    const auto begin = all.begin() + first + k * static_cast<std::int64_t>(size);
    return doubles(std::vector<T>(begin, begin + static_cast<std::ptrdiff_t>(size)));
  };
  const std::size_t pieces = family.of.pieces.all.size(), arguments = family.symbols.size();
  const Line line{family, part(before_, family.first, pieces), part(after_, family.first, pieces),
                  part(from_, family.first_argument, arguments), part(to_, family.first_argument, arguments)};
  make_gradient(family);
  auto b = line.before;
  double theta = 0;
  for (; looks < kMostLooks && b != line.after; ++looks) {
    theta = line.change(theta, b);
    const auto c = theta == 1 ? line.after : line.numbers(theta);
    const bool is_jump = has_value(family.of.of) && line.jumps(family.of.pieces.smooth, theta, b, c);
    const bool is_kink = !is_jump && std::any_of(family.gradient.begin(), family.gradient.end(),
                                                 [&](Expr f_x) { return line.jumps(f_x, theta, b, c); });
    if (is_jump || is_kink) {
      const auto changed = static_cast<std::size_t>(std::ranges::mismatch(b, c).in1 - b.begin());
      // A run that begins on the border leaves it at once.
      const double part_of_step = theta > epsilon<double>() ? theta : 0;
      const double time = static_cast<double>(step.begin->t) + part_of_step * static_cast<double>(step.length);
      jumps_.push_back(describe(line, k, family.of.pieces.all[changed], is_kink, time));
      return true;
    }
    b = c;
  }
  return false;
}

// Of the dissipation only that by velocities counts.
template <class T>
void JumpWatch<T>::make_gradient(Watched& family) {
  if (!family.gradient.empty() || !has_gradient(family.of.of)) return;
  std::vector<Expr> x;
  for (const auto& slot : family.of.family.slots)
    if (family.of.of != Of::dissipation || slot.space == Space::v || slot.space == Space::w) x.push_back(slot.symbol);
  family.gradient = gradient(family.of.pieces.smooth, x);
}

// The operation with the names of this instance.
template <class T>
Jump JumpWatch<T>::describe(const Line& line, std::int64_t k, const Piece& piece, bool is_gradient, double time) const {
  const Watched& family = line.family;
  const Family& of = family.of.family;
  const auto name_of = [&](const Family::Slot& slot) -> std::string {
    const std::int64_t at = slot.at(k);
    switch (slot.space) {
      case Space::q:
        return entry_name(model_, at);
      case Space::p:
        return "p_" + entry_name(model_, at);
      case Space::v:
        return "v_" + entry_name(model_, at);
      case Space::s:
        return state_entry_name(model_, at);
      case Space::lambda:
        return "lambda_" + numbers_.elements().row_name(at);
      case Space::t:
        return "t";
      case Space::w:
        break;
    }
    return "sum(...)";
  };
  Graph graph(*graph_);
  Replacement names;
  for (const auto& slot : of.slots) names.emplace(slot.symbol.id(), graph.new_symbol(name_of(slot), SymbolKind::local));
  for (std::size_t c = 0; c < of.columns.size(); ++c)
    names.emplace(of.columns[c].symbol.id(),
                  graph.new_symbol(fmt::format("{:g}", line.from[of.slots.size() + c]), SymbolKind::local));
  const std::string expression = to_string(substitute(graph.own(piece.operation), names));
  const std::int64_t row = of.row(k);
  const std::string what = family.of.of == Of::constraint ? "the constraint '" + numbers_.elements().row_name(row) + "'"
                           : family.of.of == Of::force    ? "the force on '" + entry_name(model_, row) + "'"
                           : family.of.of == Of::rate     ? "the rate of '" + state_entry_name(model_, row) + "'"
                           : family.of.of == Of::dissipation ? "the dissipation"
                           : family.of.of == Of::group       ? "a sum in the equations"
                                                             : energy_name(model_);
  Jump jump{.time = time, .text = {}, .is_of_energy = false, .is_of_gradient = false};
  const bool is_energy = family.of.of == Of::energy || family.of.of == Of::group;
  jump.is_of_energy = is_energy && !is_gradient;
  jump.is_of_gradient = is_energy && is_gradient;
  jump.text = fmt::format("{}{} jumps at t = {:.6g}, at '{}': {}", is_gradient ? "the gradient of " : "", what, time,
                          expression,
                          jump.is_of_energy ? "no force acts there, and steps pass it as if it were not there; give "
                                              "it a width, such as that of tanh"
                                            : "steps across it have an error of first order in their length, except "
                                              "where a Taylor method goes through; take short ones, or give it a "
                                              "width, such as that of tanh");
  return jump;
}

COTANGENT_INSTANTIATE(PRECISIONS, JumpWatch);

}  // namespace cotangent
