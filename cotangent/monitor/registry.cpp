#include "cotangent/monitor/registry.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <optional>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/base/unknown_name.hpp"
#include "cotangent/manifold/hidden_constraint.hpp"
#include "cotangent/monitor/point_values.hpp"
#include "cotangent/monitor/watch/impetus_watch.hpp"

namespace cotangent {
namespace {

/// What monitors are made of, and the followers that some of them share.
template <class T>
struct Parts {
  Manifold<T>& manifold;
  const MonitorSources<T>& sources;
  std::vector<std::shared_ptr<Follower<T>>>& followers;
  std::shared_ptr<Reference<T>>& reference;
  std::shared_ptr<std::optional<SolutionError<T>>> error = {};  // from the reference, where it looked last
  std::shared_ptr<StepMap<Tangents>> map = {};
  std::shared_ptr<TangentFlow<T>> pair = {};
  std::shared_ptr<ImpetusWatch<T>> impetus = {};
};

// Nothing where a monitor cannot be made.
template <class T>
using Made = std::optional<Watched<T>>;
template <class T>
using Kept = std::vector<T>;

// |H - H(0) - W|, W the work that forces, the driving and moving constraints have done since the start: what a step
// adds to the energy or loses of it. Where nothing does work, |H - H(0)|.
template <class T>
Made<T> energy(Parts<T>& parts) {
  const auto closed = [&system = parts.manifold.system()](const PhasePoint<T>& z) {
    const T H = system.at(z).H();
    return system.has_work() ? H - z.s.back() : H;
  };
  return Watched<T>{.measure = [closed](const PhasePoint<T>& z, Kept<T>& kept) { return T(closed(z) - kept[0]); },
                    .keep = [closed](const PhasePoint<T>& z, Kept<T>& kept) { kept.assign(1, closed(z)); }};
}

// A number f(z) of a point.
template <class T, class F>
Watched<T> number(const F& f, bool is_of_point = true) {
  return {.measure = [f](const PhasePoint<T>& z, Kept<T>& /*kept*/) { return f(z); }, .is_of_point = is_of_point};
}

// max |g(q, t)|.
template <class T>
Made<T> position(Parts<T>& parts) {
  return number<T>([&manifold = parts.manifold](const PhasePoint<T>& z) {
    return manifold.position_residual(z.q.data(), T(z.t)).value;
  });
}

// max |G H_p + g_t|, the rate at which the constraints are being left.
template <class T>
Made<T> momentum(Parts<T>& parts) {
  return number<T>(
      [&manifold = parts.manifold](const PhasePoint<T>& z) { return manifold.momentum_residual(z).value; });
}

// max_i R_ii/D_i of R = G H_pp G' = L D L': what elimination loses in its pivots. Never more than the condition number
// of R, however its rows are scaled. Infinite where constraints are dependent.
template <class T>
Made<T> condition(Parts<T>& parts) {
  const auto measure = [&matrix = parts.manifold.matrix()](const PhasePoint<T>& z) {
    static_cast<void>(matrix.factor(z));
    return matrix.condition();
  };
  return number<T>(measure, false);
}

// max |lambda|, the largest multiplier. Not determined where constraints are dependent.
template <class T>
Made<T> multipliers(Parts<T>& parts) {
  const auto measure = [values = std::make_shared<PointValues<T>>(parts.manifold)](const PhasePoint<T>& z) {
    T largest(0);
    for (const T& lambda : values->multipliers(z)) largest = larger(largest, T(abs(lambda)));
    return largest;
  };
  return number<T>(measure, false);
}

// |I - I(0)| of one declared invariant; the largest of its numbers if there are several.
template <class T>
Watched<T> invariant(const NamedRows& rows, const std::shared_ptr<PointValues<T>>& values) {
  const auto numbers = [values, first = rows.first](const PhasePoint<T>& z) {
    return values->invariants(z).begin() + first;
  };
  const auto largest_change = [numbers](const PhasePoint<T>& z, Kept<T>& kept) {
    T largest(0);
    for (auto number = numbers(z); const T& before : kept) {
      const T change = *number++ - before;
      // A change that is not a number stays.
      largest = select((abs(largest) < abs(change)) | (change != change), change, largest);
    }
    return largest;
  };
  const auto keep = [numbers, count = rows.count](const PhasePoint<T>& z, Kept<T>& kept) {
    kept.assign(numbers(z), numbers(z) + count);
  };
  return {.measure = largest_change, .keep = keep};
}

// A number of the difference between the run and a reference, at the last time that the reference knows.
// @param find(z) the difference, if it is known there.
template <class T, class Find, class F>
Watched<T> difference(const Find& find, const F& number) {
  const auto last_known = [=](const PhasePoint<T>& z, Kept<T>& kept) {
    if (const auto error = find(z)) kept[0] = number(*error);
    return kept[0];
  };
  return {.measure = last_known,
          .keep = [](const PhasePoint<T>& /*z*/, Kept<T>& kept) { kept.assign(1, T(0)); },
          .is_of_point = false};
}

// The largest of all; its parts, each in its unit, are monitors beside it.
template <class T>
Made<T> error(Parts<T>& parts) {
  if (lane_count<T> != 1 || !parts.sources.reference) return {};
  parts.reference = parts.sources.reference();
  parts.followers.push_back(parts.reference);
  parts.error = std::make_shared<std::optional<SolutionError<T>>>();
  const auto find = [found = parts.error, reference = parts.reference](const PhasePoint<T>& z) {
    return *found = reference->error(z);
  };
  Watched<T> watched = difference<T>(find, [](const SolutionError<T>& error) { return error.largest(); });
  watched.remark = [reference = parts.reference](const std::string& /*name*/) { return reference->remark(); };
  return watched;
}

// Of coordinates, momenta and states, as far as there are any and the reference knows them: parts of what `error`,
// which looks first, has found.
template <class T>
void add_error_parts(const Parts<T>& parts, std::vector<std::unique_ptr<Monitor<T>>>& monitors) {
  const Elements& elements = parts.manifold.system().elements();
  const auto find = [found = parts.error](const PhasePoint<T>& /*z*/) { return *found; };
  for (const PointPart part : kPointParts) {
    if ((part == PointPart::s ? elements.states : elements.n) == 0 || !parts.reference->knows(part)) continue;
    const auto number = [part](const SolutionError<T>& error) { return error[part]; };
    monitors.push_back(std::make_unique<Monitor<T>>(name_of(part), "errors", difference<T>(find, number)));
  }
}

// measure(flow, time since the start) of tangents that go along with one trajectory; not a number once they are lost.
// @param is_rate of the motion, which may be negative; others are figures of the map, whose steps may be long.
template <class T, class F>
Made<T> of_tangents(Parts<T>& parts, typename TangentFlow<T>::Extent extent, const F& measure, bool is_rate = false) {
  if constexpr (lane_count<T> == 1) {
    if (!parts.sources.tangents) return {};
    if (!parts.map) parts.map = parts.sources.tangents();
    const bool is_pair = extent == TangentFlow<T>::Extent::one_pair;
    auto flow = is_pair ? parts.pair : nullptr;
    if (!flow) {
      flow = std::make_shared<TangentFlow<T>>(parts.manifold, parts.map, extent);
      parts.followers.push_back(flow);
      if (is_pair) parts.pair = flow;
    }
    const auto measured = [=](const PhasePoint<T>& z) {
      return T(flow->loss() ? std::numeric_limits<double>::quiet_NaN()
                            : measure(*flow, static_cast<double>(abs(z.t - flow->start_time()))));
    };
    Watched<T> watched = number<T>(measured, false);
    watched.has_sign = is_rate;
    watched.rounding = [=] { return flow->rounding(); };
    watched.remark = [=](const std::string& name) {
      if (const auto& loss = flow->loss())
        return fmt::format("'{}' is not known after t = {:g}: {}", name, loss->time, loss->why);
      if (const auto& step = flow->long_step(); is_rate && step)
        return fmt::format(
            "'{}' is that of the steps, not of the motion: the step from t = {:g} alone changed the distance of "
            "neighbours {:.2g} times, and the tolerance is that of the run, not of its neighbours; use a fixed `step`",
            name, step->time, step->factor);
      return std::string();
    };
    return watched;
  }
  return {};
}

// dq_1.dp_2 - dp_1.dq_2 less its value 1 at the start: what symplectic maps keep. See TangentFrame.
template <class T>
Made<T> wedge(Parts<T>& parts) {
  return of_tangents(parts, TangentFlow<T>::Extent::one_pair,
                     [](const auto& flow, double /*t*/) { return flow.area() - 1; });
}

// The largest change of a wedge product among a basis of the tangent space: see TangentFlow.
template <class T>
Made<T> symplectic(Parts<T>& parts) {
  return of_tangents(parts, TangentFlow<T>::Extent::basis,
                     [](const auto& flow, double /*t*/) { return flow.defect(); });
}

// log |det M|: what M makes of the volume of neighbours in all variables.
template <class T>
Made<T> volume(Parts<T>& parts) {
  return of_tangents(parts, TangentFlow<T>::Extent::everything,
                     [](const auto& flow, double /*t*/) { return flow.log_volume(); });
}

// The mean rate so far at which neighbours have separated, log(|d_1(t)| / |d_1(0)|) / t: the largest Lyapunov exponent
// in the end. What a pair does to keep its area makes other numbers of a trajectory large: with those there is one
// vector.
template <class T>
Made<T> lyapunov(Parts<T>& parts) {
  using Extent = typename TangentFlow<T>::Extent;
  const Extent extent = parts.manifold.system().state_count() > 0 ? Extent::neighbour : Extent::one_pair;
  return of_tangents(
      parts, extent, [](const auto& flow, double t) { return t > 0 ? flow.log_growth() / t : 0; }, true);
}

// max |x| of numbers that the impetus has.
template <class T, class Numbers>
Made<T> of_impetus(Parts<T>& parts, const Numbers& numbers) {
  if constexpr (lane_count<T> == 1) {
    if (parts.sources.impetuses.empty()) return {};
    if (!parts.impetus) {
      parts.impetus = std::make_shared<ImpetusWatch<T>>(parts.manifold);
      parts.followers.push_back(parts.impetus);
    }
    return number<T>([watch = parts.impetus, numbers](const PhasePoint<T>& /*z*/) {
      T largest(0);
      for (const T& x : numbers(*watch)) largest = larger(largest, T(abs(x)));
      return largest;
    });
  }
  return {};
}

// max |p*|, p* = p + G' l.
template <class T>
Made<T> impetus(Parts<T>& parts) {
  return of_impetus(
      parts, [](const ImpetusWatch<T>& watch) -> const auto& { return watch.impetus(); });
}

// max |l|.
template <class T>
Made<T> striction(Parts<T>& parts) {
  return of_impetus(
      parts, [](const ImpetusWatch<T>& watch) -> const auto& { return watch.strictions(); });
}

// The numbers of p* and l by themselves, with their signs.
template <class T>
void add_impetus_parts(const Parts<T>& parts, bool are_strictions, std::vector<std::unique_ptr<Monitor<T>>>& monitors) {
  if constexpr (lane_count<T> == 1) {
    const Elements& elements = parts.manifold.system().elements();
    const auto add = [&](const std::string& name, const char* group, const auto& of) {
      monitors.push_back(std::make_unique<Monitor<T>>(name, group, number<T>(of)));
    };
    for (std::int64_t r = 0; are_strictions && r < elements.m; ++r)
      add(elements.row_name(r), "strictions", [watch = parts.impetus, r](const PhasePoint<T>& /*z*/) {
        return watch->strictions()[static_cast<std::size_t>(r)];
      });
    for (std::size_t j = 0; !are_strictions && j < parts.sources.impetuses.size(); ++j)
      add(parts.sources.impetuses[j], "impetuses",
          [watch = parts.impetus, j](const PhasePoint<T>& /*z*/) { return watch->impetus()[j]; });
  }
}

// g and psi = G H_p + g_t, number by number, with their signs.
template <class T>
void add_residuals(Manifold<T>& manifold, std::vector<std::unique_ptr<Monitor<T>>>& monitors) {
  System<T>& system = manifold.system();
  const auto psi = std::make_shared<HiddenConstraint<T>>(system);
  const auto rows = std::make_shared<std::vector<T>>(static_cast<std::size_t>(system.m()));
  std::vector<std::unique_ptr<Monitor<T>>> hidden;
  for (std::int64_t r = 0; r < system.m(); ++r) {
    const auto k = static_cast<std::size_t>(r);
    const auto g_row = [&system, rows, k](const PhasePoint<T>& z) {
      system.at(z).g(rows->data());
      return (*rows)[k];
    };
    const auto psi_row = [psi, rows, k](const PhasePoint<T>& z) {
      psi->at(z);
      psi->psi(rows->data());
      return (*rows)[k];
    };
    const std::string name = system.elements().row_name(r);
    monitors.push_back(std::make_unique<Monitor<T>>(name, "g", number<T>(g_row)));
    hidden.push_back(std::make_unique<Monitor<T>>(name, "psi", number<T>(psi_row)));
  }
  std::move(hidden.begin(), hidden.end(), std::back_inserter(monitors));
}

template <class T>
struct Row {
  MonitorFacts facts;
  Made<T> (*make)(Parts<T>& parts);  // a null pointer: several, which are added apart
};

/// Every monitor, in the order in which they are reported; adding one is a row here.
template <class T>
const std::vector<Row<T>>& rows() {
  static const std::vector<Row<T>> all{
      {{"energy",
        "|H - H(0)|, the change of the energy since the start; less the work done, where forces or driving do work",
        false, true, true},
       energy<T>},
      {{"position", "max |g(q)|, how far the constraints are violated", true}, position<T>},
      {{"momentum", "max |G(q) H_p(q, p)|, how fast the velocity leaves the constraints (with g_t, where they move)",
        true},
       momentum<T>},
      {{"wedge",
        "the change of dq_1.dp_2 - dp_1.dq_2 of two tangent vectors, carried through the discrete map; 1 at first",
        false, false, true},
       wedge<T>},
      {{"symplectic", "the largest such change among all vectors of a basis of the tangent space", false, false, true},
       symplectic<T>},
      {{"volume",
        "|log |det M||, M the derivative of the discrete map so far, states and all; 0 where it keeps volumes", false,
        false, false, true},
       volume<T>},
      {{"lyapunov", "the mean rate at which neighbours separate, log(|dz(t)|/|dz(0)|)/t, states and all", false, false},
       lyapunov<T>},
      {{"error",
        "the largest difference from the solution of `reference`, with those of coordinates, momenta and states apart",
        false, false},
       error<T>},
      {{"condition", "how nearly constraints are dependent: R_ii/D_i at most, R = G H_pp G' = L D L'", true, false},
       condition<T>},
      {{"multipliers", "max |lambda|, the largest multiplier", true, false}, multipliers<T>},
      {{"residuals", "each constraint g and each hidden constraint psi = G H_p + g_t, with its sign: g.NAME, psi.NAME",
        true, false},
       nullptr},
      {{"impetus", "impetus: max |p*|, p* = p + G' l, and each of its numbers: impetuses.NAME", true, false, true,
        false, true},
       impetus<T>},
      {{"striction", "impetus: max |l|, and each striction: strictions.NAME", true, false, true, false, true},
       striction<T>},
      {{"symmetries", "momenta, linear and angular, that symmetries of the model conserve, found by numbers", false,
        false, true},
       nullptr},
  };
  return all;
}

}  // namespace

std::string MonitorFacts::why_idle(std::int64_t n, std::int64_t m) const {
  if (needs_phase_space && n == 0) return "the model has no coordinates";
  if (needs_constraints && m == 0) return "the model has no constraints";
  if (needs_freedom && m > 0) return "the model has constraints";
  return "";
}

const std::vector<MonitorFacts>& monitors() {
  static const std::vector<MonitorFacts> all = [] {
    std::vector<MonitorFacts> facts;
    for (const auto& row : rows<double>()) facts.push_back(row.facts);
    return facts;
  }();
  return all;
}

const MonitorFacts& find_monitor(std::string_view name) {
  std::vector<std::string> names;
  for (const auto& facts : monitors()) {
    if (facts.name == name) return facts;
    names.push_back(facts.name);
  }
  throw UnknownName("monitor", name, names);
}

template <class T>
MonitorSet<T>::MonitorSet(const std::vector<std::string>& names, Manifold<T>& manifold,
                          const MonitorSources<T>& sources) {
  for (const auto& name : names) static_cast<void>(find_monitor(name));
  Parts<T> parts{manifold, sources, followers_, reference_};
  for (const auto& [facts, make] : rows<T>()) {
    if (std::find(names.begin(), names.end(), facts.name) == names.end()) continue;
    if (!facts.why_idle(manifold.system().n(), manifold.system().m()).empty()) continue;
    if (facts.name == "residuals") add_residuals(manifold, monitors_);
    if (!make) continue;
    auto watched = make(parts);
    if (!watched) continue;
    monitors_.push_back(std::make_unique<Monitor<T>>(facts.name, "", std::move(*watched)));
    if (facts.name == "error") add_error_parts(parts, monitors_);
    if (facts.name == "impetus" || facts.name == "striction")
      add_impetus_parts(parts, facts.name == "striction", monitors_);
  }
  const auto& invariants = manifold.system().elements().invariant_rows;
  if (invariants.empty()) return;
  const auto values = std::make_shared<PointValues<T>>(manifold);
  for (const auto& rows : invariants)
    monitors_.push_back(std::make_unique<Monitor<T>>(rows.name, "invariants", invariant(rows, values)));
}

template <class T>
void MonitorSet<T>::state(Archive& archive) {
  for (auto& follower : followers_) archive("follower", *follower);
  for (auto& monitor : monitors_) {
    std::string name = monitor->full_name();
    archive("monitor", name);
    if (name != monitor->full_name()) archive.fail("'" + monitor->full_name() + "' is expected, not '" + name + "'");
    archive("values", *monitor);
  }
}

template <class T>
bool MonitorSet<T>::is_finite() const {
  return std::all_of(monitors_.begin(), monitors_.end(),
                     [](const auto& monitor) { return !monitor->is_of_point() || all(isfinite(monitor->current())); });
}

// --- What steps of a method see themselves.

namespace {

// The number of a StepWatch with that name.
std::optional<std::size_t> watched_number(std::string_view name) {
  constexpr std::array<std::string_view, 3> names{"energy", "position", "momentum"};
  static_assert(names.size() == StepWatch<double>::kNumbers);
  const auto found = std::find(names.begin(), names.end(), name);
  return found != names.end() ? std::optional(static_cast<std::size_t>(found - names.begin())) : std::nullopt;
}

}  // namespace

template <class T>
bool MonitorSet<T>::can_take_watch() const {
  return !follows() && !monitors_.empty() && std::all_of(monitors_.begin(), monitors_.end(), [](const auto& monitor) {
    return watched_number(monitor->full_name()).has_value();
  });
}

template <class T>
StepWatch<T> MonitorSet<T>::watch() const {
  StepWatch<T> watch;
  for (const auto& monitor : monitors_) {
    const std::size_t number = *watched_number(monitor->full_name());
    watch.largest[number] = monitor->largest();
    if (number == StepWatch<T>::energy) watch.H_start = monitor->kept().at(0);
  }
  return watch;
}

template <class T>
void MonitorSet<T>::take(const StepWatch<T>& watch) {
  for (auto& monitor : monitors_) {
    const std::size_t number = *watched_number(monitor->full_name());
    monitor->take(watch.last[number], watch.largest[number]);
  }
}

template <class T>
const Monitor<T>* MonitorSet<T>::find(std::string_view name) const {
  for (const auto& monitor : monitors_)
    if (monitor->full_name() == name) return monitor.get();
  return nullptr;
}

COTANGENT_INSTANTIATE(VALUES, MonitorSet);

}  // namespace cotangent
