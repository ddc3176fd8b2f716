#include "cotangent/monitor/level_watch.hpp"

#include <algorithm>
#include <string>

#include "cotangent/monitor/magnitudes.hpp"
#include "cotangent/monitor/reference.hpp"

namespace cotangent {
namespace {

std::vector<std::string> names_of(const std::vector<NamedRows>& rows) {
  std::vector<std::string> names;
  for (const NamedRows& named : rows) names.push_back(named.name);
  return names;
}

}  // namespace

template <class T>
LevelWatch<T>::LevelWatch(Manifold<T>& manifold)
    : manifold_(manifold),
      H_(manifold.system().H()),
      H_q_(manifold.system().H_q()),
      H_p_(manifold.system().H_p()),
      declared_(manifold.system(), names_of(manifold.system().elements().invariant_rows)),
      by_q_(static_cast<std::size_t>(manifold.system().n())),
      by_p_(by_q_),
      by_s_(static_cast<std::size_t>(manifold.system().state_count())),
      values_(declared_.count()),
      invariants_(manifold.system().elements().invariant_rows.size()) {
  // Six in each octave of the number of steps, which is less than 2^63.
  constexpr std::size_t kMost = 512;
  each_history([](LevelHistory& history) { history.reserve(kMost); });
}

template <class T>
template <class F>
void LevelWatch<T>::each_history(const F& act) {
  for (LevelHistory* history : {&position_, &momentum_, &energy_, &size_}) act(*history);
  for (LevelHistory& history : invariants_) act(history);
}

template <class T>
void LevelWatch<T>::start(const PhasePoint<T>& z, LaneOf<T> /*h*/) {
  is_picked_ = {};
  each_history([](LevelHistory& history) { history.clear(); });
  largest_own_ = largest_p_ = 0;
  look(z);
}

template <class T>
void LevelWatch<T>::follow(const MadeStep<T>& step) {
  if (is_picked_()) look(step.end);
}

template <class T>
T LevelWatch<T>::energy_terms(const PhasePoint<T>& z) {
  Frame<T> frame = manifold_.system().frame();
  T t(z.t), H(0);
  frame.in[in::q] = z.q.data();
  frame.in[in::p] = z.p.data();
  frame.in[in::t] = &t;
  frame.out[out::result] = &H;
  H_(frame);
  frame.out[out::result] = by_q_.data();
  H_q_(frame);
  frame.out[out::result] = by_p_.data();
  H_p_(frame);
  const T work = manifold_.system().has_work() ? z.s.back() : T(0);
  return abs(H) + sum_of_products(by_q_, z.q) + sum_of_products(by_p_, z.p) + abs(work);
}

template <class T>
void LevelWatch<T>::look_at_invariants(const PhasePoint<T>& z) {
  if (values_.empty()) return;
  // Nothing is to be returned to: what exceeds zero is the invariant itself.
  declared_.excess(z, values_.data());
  // Rows are in the order in which they are declared.
  std::size_t k = 0;
  const auto& rows = manifold_.system().elements().invariant_rows;
  for (std::size_t at = 0; at < rows.size(); ++at) {
    T most(0);
    for (const std::size_t end = k + static_cast<std::size_t>(rows[at].count); k < end; ++k) {
      declared_.gradient(z, k, by_q_.data(), by_p_.data(), by_s_.data());
      const T terms =
          abs(values_[k]) + sum_of_products(by_q_, z.q) + sum_of_products(by_p_, z.p) + sum_of_products(by_s_, z.s);
      most = larger(most, terms);
    }
    invariants_[at].add(static_cast<double>(z.t), static_cast<double>(epsilon<T>() * most));
  }
}

template <class T>
void LevelWatch<T>::look_at_momenta(const PhasePoint<T>& z) {
  T level = manifold_.momentum_residual(z).level;
  const bool has_others = z.own.revision == z.revision && z.own.p.size() == z.p.size() && !z.p.empty();
  if (has_others) {
    largest_own_ = std::max(largest_own_, static_cast<double>(largest_of(z.own.p)));
    largest_p_ = std::max(largest_p_, static_cast<double>(largest_of(z.p)));
    level = max(level, manifold_.momentum_residual({z.q.data(), z.own.p.data(), z.s.data(), T(z.t)}).level);
  }
  momentum_.add(static_cast<double>(z.t), static_cast<double>(level));
}

template <class T>
void LevelWatch<T>::look(const PhasePoint<T>& z) {
  const auto t = static_cast<double>(z.t);
  position_.add(t, static_cast<double>(manifold_.position_residual(z.q.data(), T(z.t)).level));
  look_at_momenta(z);
  const T size = max(max(largest_of(z.q), largest_of(z.p)), largest_of(z.s));
  size_.add(t, static_cast<double>(epsilon<T>() * size));
  energy_.add(t, z.q.empty() ? 0 : static_cast<double>(epsilon<T>() * energy_terms(z)));
  look_at_invariants(z);
}

template <class T>
const LevelHistory& LevelWatch<T>::invariant(std::string_view name) const {
  const auto& rows = manifold_.system().elements().invariant_rows;
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const NamedRows& named) { return named.name == name; });
  return invariants_.at(static_cast<std::size_t>(found - rows.begin()));
}

template class LevelWatch<double>;
template class LevelWatch<long double>;
template class LevelWatch<Quad>;

}  // namespace cotangent
