#include "cotangent/simulation/start.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

namespace cotangent {
namespace {

/// Evaluates at one point everything that a first step needs, function by function.
template <class T>
class StartCheck {
 public:
  StartCheck(const Model& model, System<T>& system, const PhasePoint<T>& z)
      : model_(model), system_(system), frame_(system.frame()), t_(z.t), norms_(2) {
    frame_.in[in::q] = z.q.data();
    frame_.in[in::p] = z.p.data();
    frame_.in[in::s] = z.s.data();
    frame_.in[in::t] = &t_;
    frame_.out[out::norms] = norms_.data();
  }

  /// @throws std::invalid_argument at the first function that is not finite.
  void run() {
    const auto n = static_cast<std::size_t>(system_.n()), m = static_cast<std::size_t>(system_.m());
    const auto derivative = [&](const char* prefix) {
      return [this, prefix](std::size_t i) {
        return fmt::format("the derivative of H by {}{}", prefix, entry_name(model_, static_cast<std::int64_t>(i)));
      };
    };
    const auto constraint = [&](const char* what) {
      return [this, what](std::size_t r) {
        return fmt::format("{}constraint '{}'", what, system_.elements().row_name(static_cast<std::int64_t>(r)));
      };
    };
    expect_finite(system_.H(), 1, [](std::size_t) { return std::string("the Hamiltonian"); });
    expect_finite(system_.g(), m, constraint("the "));
    expect_finite(system_.H_q(), n, derivative(""));
    expect_finite(system_.H_p(), n, derivative("p_"));
    const std::vector<T> velocity = values_;
    frame_.in[in::a_q] = velocity.data();
    expect_finite(system_.G_times(), m, constraint("the derivative of the "));
    frame_.in[in::v] = velocity.data();
    expect_finite(system_.invariants(), static_cast<std::size_t>(system_.invariant_count()), [this](std::size_t r) {
      for (const auto& rows : system_.elements().invariant_rows)
        if (static_cast<std::int64_t>(r) < rows.first + rows.count)
          return fmt::format("the invariant '{}'", rows.row_name(static_cast<std::int64_t>(r)));
      return std::string();
    });
  }

 private:
  template <class Name>
  void expect_finite(const Request<T>& function, std::size_t count, const Name& name) {
    if (count == 0) return;
    values_.assign(count, T(0));
    frame_.out[out::result] = values_.data();
    function(frame_);
    const auto bad = std::find_if(values_.begin(), values_.end(), [](const T& x) { return !isfinite(x); });
    if (bad == values_.end()) return;
    throw std::invalid_argument(
        fmt::format("{} is {} at the initial data; look for a division by zero, or for a root or logarithm of a "
                    "negative number",
                    name(static_cast<std::size_t>(bad - values_.begin())), static_cast<double>(*bad)));
  }

  const Model& model_;
  System<T>& system_;
  Frame<T> frame_;
  T t_;
  std::vector<T> norms_, values_;
};

template <class T>
void check_start(const Model& model, Manifold<T>& manifold, const PhasePoint<T>& z) {
  StartCheck<T>(model, manifold.system(), z).run();
}

}  // namespace

template <class T>
InitialData<T> make_start(const Model& model, Manifold<T>& manifold, InitialPolicy policy) {
  InitialData<T> data;
  try {
    data = make_initial_data(model, manifold, policy);
  } catch (const std::invalid_argument&) {
    // A function that is not even defined where the user put the system explains more than a failed projection.
    if (policy == InitialPolicy::project)
      check_start(model, manifold, make_initial_data(model, manifold, InitialPolicy::as_given).z);
    throw;
  }
  check_start(model, manifold, data.z);
  return data;
}

template InitialData<double> make_start(const Model&, Manifold<double>&, InitialPolicy);
template InitialData<long double> make_start(const Model&, Manifold<long double>&, InitialPolicy);
template InitialData<Quad> make_start(const Model&, Manifold<Quad>&, InitialPolicy);

}  // namespace cotangent
