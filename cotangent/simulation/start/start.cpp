#include "cotangent/simulation/start/start.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/base/limits.hpp"
#include "cotangent/elements/refusal.hpp"
#include "cotangent/formulation/chart/minimal_coordinates.hpp"
#include "cotangent/manifold/initial_values.hpp"
#include "cotangent/manifold/lost_multipliers.hpp"
#include "cotangent/monitor/point_values.hpp"
#include "cotangent/projection/kept_invariants.hpp"
#include "cotangent/system/matrix/jacobian.hpp"

namespace cotangent {
namespace {

/// Evaluates at one point everything that a first step needs, function by function.
template <class T>
class StartCheck {
 public:
  /// @param where the point is, for messages.
  StartCheck(const Model& model, Manifold<T>& manifold, const PhasePoint<T>& z, std::string where = "the initial data")
      : model_(model), manifold_(manifold), system_(manifold.system()), z_(z), where_(std::move(where)) {}

  /// These throw ModelError at the first function that is not finite.
  void constraints() {
    expect_finite([this](T* rows) { at().g(rows); }, m(), about_constraint("the constraint '{}'"));
  }

  void everything(std::vector<std::string>& notes) {
    find_velocities();
    if (n() > 0) expect_finite([this](T* value) { *value = at().H(); }, 1, about_energy("{}"));
    constraints();
    expect_finite([this](T* f) { at().H_q(f); }, n(), about_energy("the derivative of {} by {}"));
    expect_finite([this](T* v) { at().H_p(v); }, n(), about_energy("the derivative of {} by p_{}"));
    expect_finite([this](T* rows) { at().g_rate(velocity_, rows); }, m(),
                  about_constraint("the derivative of the constraint '{}'"));
    gradients();
    find_multipliers();
    forces();
    determined_multipliers();
    invariants();
    observables(notes);
  }

  void invariants() {
    expect_finite([this](T* x) { at().invariants(x); }, static_cast<std::size_t>(system_.invariant_count()),
                  [this](std::int64_t r) {
                    return About(invariant_text(model_, elements(), r),
                                 fmt::format("the invariant '{}'", KeptInvariants<T>::row_name(elements(), r)));
                  });
  }

  void rates() {
    if (!elements().rates.empty())
      expect_finite([this](T* rates) { at().rate(rates); }, static_cast<std::size_t>(elements().states),
                    [this](std::int64_t i) {
                      return About(text_of(model_.rates, model_.states, i),
                                   fmt::format("the rate of '{}'", state_entry_name(model_, i)));
                    });
  }

 private:
  std::size_t n() const { return static_cast<std::size_t>(system_.n()); }
  std::size_t m() const { return static_cast<std::size_t>(system_.m()); }
  const Elements& elements() const { return system_.elements(); }

  // Where a number is written, and what it is.
  using About = std::pair<FunctionText, std::string>;

  auto about_energy(const char* what) const {
    return [this, what](std::int64_t i) {
      return About(energy_text(model_), fmt::format(fmt::runtime(what), energy_name(model_), entry_name(model_, i)));
    };
  }

  auto about_constraint(const char* what) const {
    return [this, what](std::int64_t r) {
      return About(constraint_text(model_, elements(), r), fmt::format(fmt::runtime(what), elements().row_name(r)));
    };
  }

  At<T> at() { return system_.at(z_).with(velocity_, multipliers_.data()); }

  // What is known by now.
  ModelPoint point() const {
    return {.q = doubles(z_.q),
            .p = doubles(z_.p),
            .v = doubles(velocity_),
            .s = doubles(z_.s),
            .lambda = doubles(multipliers_),
            .t = static_cast<double>(z_.t),
            .rows = elements().rows};
  }

  void find_velocities() {
    velocity_.assign(n(), T(0));
    at().H_p(velocity_);
  }

  // Every step would fail at a constraint without a gradient.
  void gradients() {
    if (m() == 0 || manifold_.matrix().factor(z_).regular) return;
    Jacobian<T> G(system_);
    std::vector<T> values(G.entries().size()), sizes(m(), T(0));
    G.evaluate(z_.q, T(z_.t), values);
    for (std::size_t e = 0; e < values.size(); ++e) {
      T& size = sizes[static_cast<std::size_t>(G.entries()[e].row)];
      size = max(size, abs(values[e]));
    }
    const auto zero = std::find(sizes.begin(), sizes.end(), T(0));
    if (zero != sizes.end()) throw vanishing_gradient(model_, elements(), zero - sizes.begin());
  }

  // Forces that take back what multipliers do leave nothing to keep the constraints with.
  void determined_multipliers() {
    if (!manifold_.forcing().uses_multipliers()) return;
    std::vector<T> lambda(m()), F(n());
    T power(0);
    const auto report = manifold_.multipliers(z_, velocity_.data(), lambda.data(), F.data(), power);
    if (!report.regular || report.converged) return;
    for (T& x : lambda)
      if (!isfinite(x)) x = T(1);
    const auto lost = lost_multipliers(manifold_, PointRef<T>(z_), velocity_.data(), lambda.data());
    if (!lost || lost->entries.empty()) return;
    std::vector<std::string> rows, entries;
    for (const std::int64_t r : lost->rows) rows.push_back(fmt::format("'{}'", elements().row_name(r)));
    for (const std::int64_t i : lost->entries) entries.push_back(fmt::format("'{}'", entry_name(model_, i)));
    throw refusal(
        model_, text_of(model_.forces, model_.coordinates, lost->entries.front()).where,
        fmt::format("the multipliers cannot be determined at the initial data: the force on {} takes back what "
                    "the multiplier of {} does, whatever its value",
                    fmt::join(entries, ", "), fmt::join(rows, ", ")),
        "constraint forces are there already, as -G' lambda: write down the other forces only");
  }

  // Where there are none, because something that they depend on is not finite, any numbers will do to find it.
  void find_multipliers() {
    multipliers_.assign(m(), T(0));
    const auto uses_multipliers = [&](const std::vector<Family>& of) {
      return elements().depends_on(of, Space::lambda);
    };
    if (elements().uses_multipliers() || uses_multipliers(elements().observables)) {
      multipliers_ = PointValues<T>(manifold_).multipliers(z_);
      for (T& lambda : multipliers_)
        if (!isfinite(lambda)) lambda = T(1);
    }
  }

  // A note for each that is not finite; of a family for the first entry, with the number of the others.
  void observables(std::vector<std::string>& notes) {
    const auto count = static_cast<std::size_t>(system_.observable_count());
    if (!first_not_finite([this](T* values) { at().observables(values); }, count)) return;
    for (const NamedRows& rows : elements().observable_rows) {
      const auto first = values_.begin() + rows.first, last = first + rows.count;
      const auto is_bad = [](const T& x) { return !isfinite(x); };
      const auto bad = std::find_if(first, last, is_bad);
      if (bad == last) continue;
      const std::int64_t r = bad - values_.begin(), others = std::count_if(bad + 1, last, is_bad);
      const ModelError error = refusal(model_, observable_text(model_, elements(), r), point(),
                                       not_finite(fmt::format("the observable '{}'", rows.row_name(r)), r));
      notes.push_back(fmt::format("{}:{}:{}: {}{}", error.file(), error.line(), error.column(), error.message(),
                                  others > 0 ? fmt::format(" (and {} more of '{}')", others, rows.name) : ""));
    }
  }

  void forces() {
    if (!elements().dissipation.empty())
      expect_finite([this](T* out) { at().D_v(out); }, n(),
                    [this](std::int64_t i) {
                      return About(dissipation_text(model_),
                                   fmt::format("the derivative of the dissipation by v_{}", entry_name(model_, i)));
                    });
    if (!elements().forces.empty())
      expect_finite([this](T* f) { at().force(f); }, n(),
                    [this](std::int64_t i) {
                      return About(text_of(model_.forces, model_.coordinates, i),
                                   fmt::format("the force on '{}'", entry_name(model_, i)));
                    });
    rates();
  }

  static SymbolId target(const Coordinate& c) { return c.q; }
  static SymbolId target(const State& state) { return state.symbol; }

  template <class Variable>
  FunctionText text_of(const std::vector<Assignment>& assignments, const std::vector<Variable>& variables,
                       std::int64_t entry) const {
    for (const Variable& x : variables)
      if (entry < x.offset + x.size())
        return assignment_text(model_, assignments, target(x), x.shape, entry - x.offset);
    return {};
  }

  std::string not_finite(const std::string& what, std::int64_t at) const {
    return fmt::format("{} is {} at {}", what, printed(static_cast<double>(values_[static_cast<std::size_t>(at)])),
                       where_);
  }

  /// @param function writes `count` numbers.
  template <class Function>
  std::optional<std::int64_t> first_not_finite(const Function& function, std::size_t count) {
    if (count == 0) return std::nullopt;
    values_.assign(count, T(0));
    function(values_.data());
    const auto bad = std::find_if(values_.begin(), values_.end(), [](const T& x) { return !isfinite(x); });
    if (bad == values_.end()) return std::nullopt;
    return bad - values_.begin();
  }

  /// @throws ModelError about(i), if number i of those that the function writes is not finite.
  template <class Function, class What>
  void expect_finite(const Function& function, std::size_t count, const What& about) {
    const auto i = first_not_finite(function, count);
    if (!i) return;
    const auto [text, name] = about(*i);
    throw refusal(model_, text, point(), not_finite(name, *i));
  }

  const Model& model_;
  Manifold<T>& manifold_;
  System<T>& system_;
  const PhasePoint<T>& z_;
  const std::string where_;
  std::vector<T> values_, velocity_, multipliers_;
};

// "x = 0.6, y = -0.8", the first few.
template <class T>
std::string position_text(const Model& model, const std::vector<T>& q) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < std::min(q.size(), kLimits.names); ++i)
    parts.push_back(
        fmt::format("{} = {:g}", entry_name(model, static_cast<std::int64_t>(i)), static_cast<double>(q[i])));
  return fmt::format("{}{}", fmt::join(parts, ", "), q.size() > kLimits.names ? ", ..." : "");
}

// A function that is not even defined where the user put the system explains more than a failed projection.
template <class T>
void check_given(const Model& model, Manifold<T>& manifold) {
  InitialValues<T> given = evaluate_initial<T>(model);
  for (std::size_t i = 0; i < given.q.size(); ++i) (given.by_velocity[i] ? given.p : given.v)[i] = T(0);
  expect_defined_energy(model, {.q = doubles(given.q),
                                .p = doubles(given.p),
                                .v = doubles(given.v),
                                .s = doubles(given.s),
                                .lambda = {},
                                .t = static_cast<double>(given.t)});
  PhasePoint<T> z(manifold.system().n(), manifold.system().state_count());
  z.q = given.q;
  z.p = given.p;
  z.t = given.t;
  StartCheck<T>(model, manifold, z).constraints();
}

}  // namespace

template <class T>
InitialData<T> make_start(const Model& model, Manifold<T>& manifold, InitialPolicy policy,
                          std::vector<std::string>& notes) {
  InitialData<T> data;
  try {
    data = make_initial_data(model, manifold, policy);
  } catch (const ModelError&) {
    check_given(model, manifold);
    throw;
  }
  StartCheck<T>(model, manifold, data.z).everything(notes);
  return data;
}

template <class T>
std::string find_breakdown(const Model& model, Manifold<T>& manifold, const PhasePoint<T>& z, const T& h) {
  std::vector<T> rates(z.s.size(), T(0));
  manifold.system().at(z).rate(rates);
  const auto look = [&](void (StartCheck<T>::*check)(), double farthest) -> std::string {
    for (double part = 0.125; part <= farthest; part *= 2) {
      PhasePoint<T> x = z;
      const T ahead = h * T(part);
      x.t = z.t + ahead;
      for (std::size_t k = 0; k < x.s.size(); ++k) x.s[k] += ahead * rates[k];
      try {
        (StartCheck<T>(model, manifold, x, fmt::format("t = {:.6g}", static_cast<double>(x.t))).*check)();
      } catch (const ModelError& found) {
        return fmt::format("{}:{}:{}: {}", found.file(), found.line(), found.column(), found.message());
      }
    }
    return {};
  };
  // Stages may lead farther than a step, and not by tangents; invariants are looked at where steps end.
  const std::string of_rates = look(&StartCheck<T>::rates, 8);
  return of_rates.empty() ? look(&StartCheck<T>::invariants, 1) : of_rates;
}

template <class T>
void expect_minimal_start(const Model& model, Manifold<T>& manifold, const PhasePoint<T>& z) {
  MinimalCoordinates<T> phi(manifold.system());
  std::vector<T> s, u, v(z.q.size(), T(0));
  const T t(z.t);
  if (!phi.find(z.q.data(), t, s))
    throw refusal(model, model.minimal->where,
                  fmt::format("[minimal] does not reach the initial position {}: no values of its coordinates were "
                              "found that give it",
                              position_text(model, z.q)),
                  "see to it that the initial position is on the same branch of roots and the like, and that the "
                  "coordinates are regular there; a guess = { ... } may help");
  manifold.system().at(z).H_p(v);
  if (!phi.find_velocity(s.data(), v.data(), t, u))
    throw refusal(model, model.minimal->where,
                  fmt::format("[minimal] does not give the initial velocities at {}, whatever those of its coordinates",
                              position_text(model, z.q)),
                  "it needs as many coordinates as there are degrees of freedom, regular at the initial position");
}

#define COTANGENT_FUNCTIONS(T)                                                                              \
  template InitialData<T> make_start(const Model&, Manifold<T>&, InitialPolicy, std::vector<std::string>&); \
  template std::string find_breakdown(const Model&, Manifold<T>&, const PhasePoint<T>&, const T&);          \
  template void expect_minimal_start(const Model&, Manifold<T>&, const PhasePoint<T>&);
COTANGENT_FOR_PRECISIONS(COTANGENT_FUNCTIONS)

}  // namespace cotangent
