#include "cotangent/integrator/taylor/motion_series.hpp"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "cotangent/base/check.hpp"
#include "cotangent/manifold/lane_failure.hpp"
#include "cotangent/system/legendre/legendre.hpp"

namespace cotangent {
namespace {

using Of = Contraction::Of;
using Result = Contraction::Result;

template <class T>
T number(int k) {
  return T(static_cast<double>(k));
}

}  // namespace

/// The actions as machine code, for double.
template <class T>
struct MotionSeries<T>::Code {
  struct Place {
    const T* first;
    std::size_t stride;
    bool operator==(const Place&) const = default;
  };

  // The number of a vector: vectors are the same where their rows are.
  int number_of(const T* first, std::size_t stride) {
    const Place place{first, stride};
    const auto found = std::ranges::find(vectors, place);
    if (found != vectors.end()) return static_cast<int>(found - vectors.begin());
    vectors.push_back(place);
    return static_cast<int>(vectors.size()) - 1;
  }

  std::vector<Place> vectors;
  std::array<int, 3> moving{};  // q, p and s, which are elsewhere each time
  bool has_inverse = false;     // R is a number
  std::optional<SeriesCode> code;
};

template <class T>
MotionSeries<T>::MotionSeries(Manifold<T>& manifold, int order)
    : manifold_(manifold),
      system_(manifold.system()),
      order_(order),
      n_(static_cast<std::size_t>(system_.n())),
      m_(static_cast<std::size_t>(system_.m())),
      states_(static_cast<std::size_t>(system_.elements().states)) {
  const Elements& elements = system_.elements();
  if (elements.declared)
    throw std::invalid_argument(
        "Taylor coefficients are made of expressions, and H and g are functions of somebody's code here; use dop853");
  if (elements.depends_on(elements.forces, Space::lambda) || elements.depends_on(elements.dissipation, Space::lambda))
    throw std::invalid_argument(
        "Taylor methods do not take forces that depend on the multipliers, as those of friction do: the coefficients "
        "of the multipliers would no longer come from G H_pp G' alone; use dop853, or gauss:2");
  const int K = order;
  const auto keep = [&](int vector, int count, std::size_t size) {
    auto& own = own_[static_cast<std::size_t>(vector)];
    own.assign(static_cast<std::size_t>(count) * size, T(0));
    vectors_[static_cast<std::size_t>(vector)] = {own.data(), count == 1 ? 0 : size};
  };
  keep(Vec::v, K + 1, n_);
  keep(Vec::lambda, K, m_);
  keep(Vec::time, K + 2, 1);
  *row(Vec::time, 1) = T(1);
  keep(Vec::f, K, n_);
  for (const int each : {Vec::F, Vec::x, Vec::pulled}) keep(each, 1, n_);
  keep(Vec::rows, 1, m_);
  keep(Vec::rates, 1, states_);
  for (const int each : {Vec::H_t, Vec::g_t}) keep(each, 1, 1);

  const bool is_lagrangian = system_.legendre() != nullptr;
  if (n_ > 0) {
    const Of energy = is_lagrangian ? Of::L : Of::H;
    if (is_lagrangian) {
      L_v_ = make({.of = Of::L, .result = Result::gradient_v}, Vec::x, K + 1, {.vector = in::v});
    } else {
      v_of_ = make({.of = Of::H, .result = Result::gradient_p}, Vec::v, K + 1, {.vector = in::p});
    }
    H_q_ = make({.of = energy, .result = Result::gradient_q}, Vec::F, K);
    if (!elements.forces.empty()) force_ = make({.of = Of::force}, Vec::f, K);
    if (!elements.dissipation.empty()) D_v_ = make({.of = Of::dissipation, .result = Result::gradient_v}, Vec::x, K);
    if (system_.has_work() && !elements.is_autonomous())
      H_t_ = make({.of = energy, .directions = {direction::kTime}}, Vec::H_t, K);
  }
  if (m_ > 0) {
    g_ = make({.of = Of::g}, Vec::rows, K + 2, {.vector = in::q, .needs_results = false});
    pull_back_ = make({.of = Of::weighted_g, .result = Result::gradient_q}, Vec::pulled, K, {.vector = in::weights});
    if (H_t_ >= 0) g_t_ = make({.of = Of::weighted_g, .directions = {direction::kTime}}, Vec::g_t, K);
  }
  if (states_ > 0) rate_ = make({.of = Of::rate}, Vec::rates, K);
  for (const JetOperation<T>& each : operations_) has_pieces_ = has_pieces_ || each.has_pieces();
  plan_order();
}

template <class T>
MotionSeries<T>::~MotionSeries() = default;

template <class T>
int MotionSeries<T>::make(const Contraction& contraction, int result, int orders,
                          const typename JetKernel<T>::Again& again) {
  JetOperation<T>& operation = operations_.emplace_back(system_, contraction, orders, again);
  const auto read = [&](int argument, int vector) {
    operation.read(argument, row(vector, 0), vectors_[static_cast<std::size_t>(vector)].stride);
  };
  read(in::v, Vec::v);
  read(in::lambda, Vec::lambda);
  read(in::weights, Vec::lambda);
  read(in::t, Vec::time);
  operation.write(row(result, 0), vectors_[static_cast<std::size_t>(result)].stride);
  return static_cast<int>(operations_.size()) - 1;
}

// --- What an order consists of.

template <class T>
void MotionSeries<T>::evaluate(int operation, int ahead, bool again, std::vector<Action>& to) const {
  to.push_back({.act = again ? Act::again : Act::evaluate, .index = operation, .ahead = ahead});
}

template <class T>
void MotionSeries<T>::plan_order() {
  if (n_ > 0) plan_velocities(0, false, start_);
  if (m_ > 0)
    for (const int ahead : {0, 1}) evaluate(g_, ahead, false, start_);
  if (n_ > 0) plan_forces(each_order_);
  if (m_ > 0) {
    const auto m = static_cast<std::int64_t>(m_);
    each_order_.push_back({.act = Act::clear, .to = {Vec::lambda, 0}, .size = m});
    plan_momenta(false, each_order_);
    plan_velocities(1, false, each_order_);
    evaluate(g_, 2, false, each_order_);
    each_order_.push_back({.act = Act::twice, .to = {Vec::lambda, 0}, .a = {Vec::rows, 2}, .size = m});
    each_order_.push_back({.act = Act::call, .index = Call::solve_multipliers});
    plan_momenta(true, each_order_);
    plan_velocities(1, true, rest_);
    evaluate(g_, 2, true, rest_);
  } else if (n_ > 0) {
    plan_momenta(false, each_order_);
    plan_velocities(1, false, rest_);
  }
  plan_states(each_order_);
}

// v_{k+ahead}, and q_{k+ahead+1}. For a Lagrangian x has [L_v]_k without v_k.
template <class T>
void MotionSeries<T>::plan_velocities(int ahead, bool again, std::vector<Action>& to) {
  const auto n = static_cast<std::int64_t>(n_);
  const Row v{Vec::v, ahead}, x{Vec::x, ahead};
  if (v_of_ >= 0) {
    evaluate(v_of_, ahead, again, to);
  } else if (ahead == 0) {
    to.push_back({.act = Act::call, .index = Call::find_velocity});
    evaluate(L_v_, 0, false, to);
  } else {
    to.push_back({.act = Act::clear, .to = v, .size = n});
    evaluate(L_v_, ahead, again, to);
    to.push_back({.act = Act::subtract, .to = v, .a = {Vec::p, ahead}, .b = x, .size = n});
    to.push_back({.act = Act::call, .index = Call::solve_mass});
    evaluate(L_v_, ahead, true, to);
  }
  to.push_back({.act = Act::part, .to = {Vec::q, ahead + 1}, .a = v, .size = n});
}

// [F]_k.
template <class T>
void MotionSeries<T>::plan_forces(std::vector<Action>& to) {
  const auto n = static_cast<std::int64_t>(n_);
  const Row F{Vec::F, 0}, f{Vec::f, 0}, x{Vec::x, 0};
  evaluate(H_q_, 0, false, to);
  if (L_v_ < 0) to.push_back({.act = Act::negate, .to = F, .size = n});
  if (force_ < 0 && D_v_ < 0) return;
  if (force_ >= 0) {
    evaluate(force_, 0, false, to);
  } else {
    to.push_back({.act = Act::clear, .to = f, .size = n});
  }
  if (D_v_ >= 0) {
    evaluate(D_v_, 0, false, to);
    to.push_back({.act = Act::subtract, .to = f, .a = f, .b = x, .size = n});
  }
  to.push_back({.act = Act::add, .to = F, .a = f, .size = n});
}

// p_{k+1}, with the multipliers that there are.
template <class T>
void MotionSeries<T>::plan_momenta(bool again, std::vector<Action>& to) {
  if (m_ > 0) evaluate(pull_back_, 0, again, to);
  to.push_back({.act = Act::change,
                .to = {Vec::p, 1},
                .a = {Vec::F, 0},
                .b = {Vec::pulled, 0},
                .size = static_cast<std::int64_t>(n_)});
}

// s_{k+1}, and the work done.
template <class T>
void MotionSeries<T>::plan_states(std::vector<Action>& to) {
  if (rate_ >= 0) {
    evaluate(rate_, 0, false, to);
    to.push_back(
        {.act = Act::quotient, .to = {Vec::s, 1}, .a = {Vec::rates, 0}, .size = static_cast<std::int64_t>(states_)});
  }
  if (!system_.has_work()) return;
  for (const int operation : {H_t_, g_t_})
    if (operation >= 0) evaluate(operation, 0, false, to);
  to.push_back({.act = Act::call, .index = Call::add_power});
}

// --- Interpretation.

template <class T>
void MotionSeries<T>::run(const std::vector<Action>& actions, int k) {
  for (const Action& action : actions) run(action, k);
}

template <class T>
void MotionSeries<T>::run(const Action& action, int k) {
  const auto at = [&](const Row& which) { return which.vector < 0 ? nullptr : row(which.vector, k + which.ahead); };
  const int i = k + action.to.ahead;
  const auto size = static_cast<std::size_t>(action.size);
  T* const to = at(action.to);
  const T *const a = at(action.a), *const b = at(action.b);
  const auto each = [&](const auto& f) {
    for (std::size_t j = 0; j < size; ++j) to[j] = f(j);
  };
  switch (action.act) {
    case Act::evaluate:
    case Act::again:
      return operations_[static_cast<std::size_t>(action.index)](k + action.ahead, action.act == Act::again);
    case Act::clear:
      return each([&](std::size_t) { return T(0); });
    case Act::negate:
      return each([&](std::size_t j) { return -to[j]; });
    case Act::add:
      return each([&](std::size_t j) { return to[j] + a[j]; });
    case Act::subtract:
      return each([&](std::size_t j) { return a[j] - b[j]; });
    case Act::part:
      return each([&, part = T(1) / number<T>(i)](std::size_t j) { return a[j] * part; });
    case Act::change:
      return each([&, part = T(1) / number<T>(i)](std::size_t j) { return (a[j] - b[j]) * part; });
    case Act::quotient:
      return each([&](std::size_t j) { return a[j] / number<T>(i); });
    case Act::twice:
      return each([&](std::size_t j) { return a[j] * number<T>((i + 1) * (i + 2)); });
    case Act::call:
      return call(action.index, k);
    case Act::solve:
      break;
  }
  check_failed("the action is one of a motion");
}

template <class T>
void MotionSeries<T>::call(int what, int k) {
  if (what == Call::find_velocity) {
    const std::vector<T>& found = system_.legendre()->velocity(z_.q, z_.p, z_.t);
    std::copy_n(found.data(), n_, row(Vec::v, 0));
  } else if (what == Call::solve_mass) {
    system_.legendre()->solve_mass(z_.q, z_.p, z_.t, row(Vec::v, k + 1));
  } else if (what == Call::solve_multipliers) {
    const Mask<T> solved = manifold_.matrix().solve(row(Vec::lambda, k));
    // Later on R is the same.
    if (k == 0) fail_lanes(*report_, !solved, StepStatus::no_multipliers, T(0));
  } else {
    T power(0);
    if (force_ >= 0 || D_v_ >= 0)
      for (int i = 0; i <= k; ++i) {
        const T *f = row(Vec::f, i), *v = row(Vec::v, k - i);
        for (std::size_t j = 0; j < n_; ++j) power += f[j] * v[j];
      }
    if (H_t_ >= 0) power += L_v_ >= 0 ? -*row(Vec::H_t, 0) : *row(Vec::H_t, 0);
    if (g_t_ >= 0) power += *row(Vec::g_t, 0);
    row(Vec::s, k + 1)[states_] = power / number<T>(k + 1);
  }
}

// Where q, p and s are this time.
template <class T>
void MotionSeries<T>::tell_operations() {
  for (JetOperation<T>& each : operations_)
    for (const auto& [argument, vector] : {std::pair{in::q, Vec::q}, {in::p, Vec::p}, {in::s, Vec::s}})
      each.read(argument, row(vector, 0), vectors_[static_cast<std::size_t>(vector)].stride);
}

template <class T>
void MotionSeries<T>::interpret() {
  tell_operations();
  run(start_, 0);
  for (int k = 0; k < order_ && any(report_->ok); ++k) {
    run(each_order_, k);
    if (k + 1 < order_) run(rest_, k);
  }
}

// --- Machine code.

// Operations are taken apart into what they clear, and their kernels.
template <class T>
void MotionSeries<T>::make_code() {
  if constexpr (std::is_same_v<T, double>) {
    tell_operations();
    Code& code = *code_;
    const auto id = [&](int vector) {
      const auto& place = vectors_[static_cast<std::size_t>(vector)];
      return code.number_of(place.first, place.stride);
    };
    SeriesPlan plan;
    plan.orders = order_;
    std::vector<JetKernel<double>*> kernels;
    std::vector<std::size_t> first_kernel;  // of each operation
    for (JetOperation<double>& operation : operations_) {
      first_kernel.push_back(kernels.size());
      std::vector<int> in, out;
      for (const auto& each : operation.frame().in) in.push_back(code.number_of(each.first, each.stride));
      for (const auto& each : operation.frame().out) out.push_back(code.number_of(each.first, each.stride));
      for (JetKernel<double>& kernel : operation.kernels()) {
        kernels.push_back(&kernel);
        plan.kernels.push_back({&kernel.plan(), in, out});
      }
    }
    const auto translate = [&](const std::vector<Action>& from, std::vector<Action>& to) {
      for (Action action : from) {
        const bool is_again = action.act == Act::again;
        if (action.act == Act::evaluate || is_again) {
          const auto index = static_cast<std::size_t>(action.index);
          JetOperation<double>& operation = operations_[index];
          if (!is_again || operation.has_results_again())
            for (const auto& [vector, size] : operation.zero()) {
              const auto& out = operation.frame().out[static_cast<std::size_t>(vector)];
              to.push_back({.act = Act::clear,
                            .to = {code.number_of(out.first, out.stride), action.ahead},
                            .size = static_cast<std::int64_t>(size)});
            }
          for (std::size_t k = 0; k < operation.kernels().size(); ++k) {
            action.index = static_cast<int>(first_kernel[index] + k);
            to.push_back(action);
          }
        } else if (action.act == Act::call && action.index == Call::solve_multipliers && code.has_inverse) {
          to.push_back({.act = Act::solve, .to = {id(Vec::lambda), 0}});
        } else {
          for (Row* row : {&action.to, &action.a, &action.b})
            if (row->vector >= 0) row->vector = id(row->vector);
          to.push_back(action);
        }
      }
    };
    translate(start_, plan.start);
    translate(each_order_, plan.order);
    translate(rest_, plan.rest);
    for (std::size_t i = 0; i < code.moving.size(); ++i) code.moving[i] = id(static_cast<int>(i));
    plan.vectors = static_cast<int>(code.vectors.size());
    code.code.emplace(plan, kernels, *system_.model().code());
    for (int v = 0; v < plan.vectors; ++v) {
      const auto& place = code.vectors[static_cast<std::size_t>(v)];
      code.code->set_vector(v, place.first, place.stride);
    }
  }
}

template <class T>
bool MotionSeries<T>::run_code() {
  if constexpr (std::is_same_v<T, double>) {
    if (system_.model().backend() != Backend::jit) return false;
    const double* inverse = m_ > 0 ? manifold_.matrix().inverse() : nullptr;
    if (!code_) {
      code_ = std::make_unique<Code>();
      code_->has_inverse = inverse != nullptr;
      make_code();
    }
    if (code_->has_inverse && inverse == nullptr) return false;  // singular
    for (std::size_t i = 0; i < code_->moving.size(); ++i)
      code_->code->set_vector(code_->moving[i], vectors_[i].first, vectors_[i].stride);
    const auto call = [](void* object, std::int64_t what, std::int64_t k) {
      static_cast<MotionSeries*>(object)->call(static_cast<int>(what), static_cast<int>(k));
    };
    (*code_->code)(call, this, inverse);
    return true;
  } else {
    return false;
  }
}

template <class T>
void MotionSeries<T>::begin(const PointRef<T>& z, MotionCoefficients<T>& c) {
  const auto orders = static_cast<std::size_t>(order_) + 1;
  const auto states = static_cast<std::size_t>(system_.state_count());
  c.report = {};
  report_ = &c.report;
  z_ = z;
  const auto set = [&](int vector, std::vector<T>& to, std::size_t count, const T* from, std::size_t size) {
    to.resize(count * size);
    std::copy_n(from, size, to.data());
    vectors_[static_cast<std::size_t>(vector)] = {to.data(), size};
  };
  set(Vec::q, c.q, orders + 1, z.q, n_);
  set(Vec::p, c.p, orders, z.p, n_);
  set(Vec::s, c.s, orders, z.s, states);
  *row(Vec::time, 0) = z.t;
}

template <class T>
void MotionSeries<T>::find(const PointRef<T>& z, MotionCoefficients<T>& c) {
  begin(z, c);
  if (m_ > 0) {
    const Mask<T> regular = manifold_.matrix().factor(z).regular;
    if (!all(regular)) fail_singular_lanes(c.report, !regular, manifold_.matrix(), T(0));
    if (!any(c.report.ok)) return;
  }
  if (!run_code()) interpret();
  c.report.evaluations = order_;
}

template <class T>
T MotionSeries<T>::first_change(const T& h) const {
  T first = h;
  for (const JetOperation<T>& each : operations_) first = each.first_change(order_, first);
  return first;
}

COTANGENT_INSTANTIATE(NUMBERS, MotionSeries);

}  // namespace cotangent
