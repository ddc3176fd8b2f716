#include "cotangent/monitor/level_watch.hpp"

#include <algorithm>
#include <string>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/base/magnitudes.hpp"
#include "cotangent/monitor/position_blur.hpp"
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
      multipliers_(manifold.system()),
      scales_(manifold.system()),
      H_(manifold.system().H()),
      H_q_(manifold.system().H_q()),
      H_p_(manifold.system().H_p()),
      H_pp_times_(manifold.system().H_pp_times()),
      inside_H_(manifold.system(), Contraction::Of::H),
      inside_invariants_(manifold.system(), Contraction::Of::invariant),
      declared_(manifold.system(), names_of(manifold.system().elements().invariant_rows)),
      frame_(manifold.system().frame()),
      by_q_(static_cast<std::size_t>(manifold.system().n())),
      by_p_(by_q_),
      by_s_(static_cast<std::size_t>(manifold.system().state_count())),
      values_(declared_.count()),
      errors_(values_),
      v_(by_q_),
      force_(by_q_),
      lambda_(static_cast<std::size_t>(manifold.system().m())),
      sizes_(by_q_),
      q_sizes_(by_q_),
      p_sizes_(by_q_),
      rows_(lambda_),
      lengths_(lambda_),
      invariants_(manifold.system().elements().invariant_rows.size()) {
  // Six in each octave of the number of steps, which is less than 2^63.
  constexpr std::size_t kMost = 512;
  each_history([](LevelHistory& history) { history.reserve(kMost); });
}

template <class T>
template <class F>
void LevelWatch<T>::each_history(const F& act) {
  for (LevelHistory* history : {&position_, &momentum_, &energy_, &energy_terms_, &size_}) act(*history);
  for (LevelHistory& history : invariants_) act(history);
}

template <class T>
void LevelWatch<T>::start(const PhasePoint<T>& z, LaneOf<T> h) {
  h_ = h;
  is_picked_ = {};
  each_history([](LevelHistory& history) { history.clear(); });
  largest_own_ = largest_p_ = 0;
  look(z);
}

template <class T>
void LevelWatch<T>::follow(const MadeStep<T>& step) {
  h_ = step.length;
  if (is_picked_()) look(step.end);
}

// Sets the frame, and leaves v = H_p, H_q in by_q_ and G in scales_. Where there are no multipliers (G is singular)
// there are no sizes of theirs.
template <class T>
void LevelWatch<T>::take_sizes(const PhasePoint<T>& z) {
  t_ = T(z.t);
  frame_.in[in::q] = z.q.data();
  frame_.in[in::p] = z.p.data();
  frame_.in[in::v] = v_.data();
  frame_.in[in::s] = z.s.data();
  frame_.in[in::lambda] = lambda_.data();
  frame_.in[in::t] = &t_;
  if (z.q.empty()) return;
  frame_.out[out::result] = v_.data();
  H_p_(frame_);
  frame_.out[out::result] = by_q_.data();
  H_q_(frame_);
  T power(0);
  const bool is_found = multipliers_.multipliers(z, v_.data(), lambda_.data(), force_.data(), power).found();
  std::fill(sizes_.begin(), sizes_.end(), T(0));
  if (!rows_.empty()) {
    scales_.evaluate(z.q.data(), t_);
    if (is_found) scales_.add_along_columns(lambda_.data(), sizes_.data());
  }
  for (std::size_t j = 0; j < v_.size(); ++j) {
    const T kick = sizes_[j] + abs(by_q_[j]) + abs(force_[j]);
    q_sizes_[j] = abs(z.q[j]) + abs(T(h_) * v_[j]);
    p_sizes_[j] = abs(z.p[j]) + (isfinite(kick) ? abs(T(h_)) * kick : T(0));
  }
  if (!rows_.empty()) blur_positions();
}

// Positions are no better than the constraints that they are solved from: with e_r rounded inside row r of g,
// size(q_j) grows by sum_r |G_rj| e_r / |G_r|^2.
template <class T>
void LevelWatch<T>::blur_positions() {
  if (!blur_of_positions(scales_, sizes_, rows_, lengths_)) return;
  scales_.balance(sizes_.data(), lengths_.data());
  for (std::size_t r = 0; r < rows_.size(); ++r) rows_[r] *= lengths_[r];
  scales_.add_along_columns(rows_.data(), q_sizes_.data());
}

template <class T>
void LevelWatch<T>::look_at_energy(const PhasePoint<T>& z) {
  T H(0), inside(0);
  if (!z.q.empty()) {
    frame_.out[out::result] = &H;
    H_(frame_);
    inside_H_.add_to(frame_, &inside);
  }
  const T work = manifold_.system().has_work() ? z.s.back() : T(0);
  const T values = abs(H) + abs(work);
  const T level = values + sum_of_products(by_q_, q_sizes_) + sum_of_products(v_, p_sizes_) + inside;
  const T terms = values + sum_of_products(by_q_, z.q) + sum_of_products(v_, z.p);
  energy_.add(static_cast<double>(z.t), static_cast<double>(epsilon<T>() * level));
  energy_terms_.add(static_cast<double>(z.t), static_cast<double>(terms));
}

template <class T>
void LevelWatch<T>::look_at_invariants(const PhasePoint<T>& z) {
  if (values_.empty()) return;
  // Nothing is to be returned to: what exceeds zero is the invariant itself.
  declared_.excess(z, values_.data());
  std::fill(errors_.begin(), errors_.end(), T(0));
  inside_invariants_.add_to(frame_, errors_.data());
  // Rows are in the order in which they are declared.
  std::size_t k = 0;
  const auto& rows = manifold_.system().elements().invariant_rows;
  for (std::size_t at = 0; at < rows.size(); ++at) {
    T most(0);
    for (const std::size_t end = k + static_cast<std::size_t>(rows[at].count); k < end; ++k) {
      declared_.gradient(z, k, by_q_.data(), by_p_.data(), by_s_.data());
      const T terms = abs(values_[k]) + sum_of_products(by_q_, q_sizes_) + sum_of_products(by_p_, p_sizes_) +
                      sum_of_products(by_s_, z.s) + errors_[k];
      most = larger(most, terms);
    }
    invariants_[at].add(static_cast<double>(z.t), static_cast<double>(epsilon<T>() * most));
  }
}

template <class T>
T LevelWatch<T>::largest_row() const {
  return T(epsilon<T>()) * largest_of(rows_);
}

template <class T>
void LevelWatch<T>::look_at_positions(const PhasePoint<T>& z) {
  if (!rows_.empty()) scales_.of_positions(q_sizes_.data(), t_, rows_.data());
  position_.add(static_cast<double>(z.t), static_cast<double>(largest_row()));
}

// Of psi = G H_p + g_t: H_p is rounded, and so are the momenta that it is made of.
template <class T>
void LevelWatch<T>::look_at_momenta(const PhasePoint<T>& z) {
  sizes_ = p_sizes_;
  const bool has_others = z.own.revision == z.revision && z.own.p.size() == z.p.size() && !z.p.empty();
  if (has_others) {
    largest_own_ = std::max(largest_own_, static_cast<double>(largest_of(z.own.p)));
    largest_p_ = std::max(largest_p_, static_cast<double>(largest_of(z.p)));
    for (std::size_t j = 0; j < sizes_.size(); ++j) sizes_[j] = max(sizes_[j], abs(z.own.p[j]));
  }
  if (!rows_.empty()) {
    frame_.in[in::a_p] = sizes_.data();
    frame_.out[out::result] = by_p_.data();
    H_pp_times_(frame_);
    for (std::size_t j = 0; j < sizes_.size(); ++j) sizes_[j] = abs(by_p_[j]) + abs(v_[j]);
    scales_.along_rows(sizes_.data(), T(1), rows_.data());
  }
  momentum_.add(static_cast<double>(z.t), static_cast<double>(largest_row()));
}

template <class T>
void LevelWatch<T>::look(const PhasePoint<T>& z) {
  const auto t = static_cast<double>(z.t);
  take_sizes(z);
  look_at_positions(z);
  look_at_momenta(z);
  const T size = max(max(largest_of(z.q), largest_of(z.p)), largest_of(z.s));
  size_.add(t, static_cast<double>(epsilon<T>() * size));
  look_at_energy(z);
  look_at_invariants(z);
}

template <class T>
const LevelHistory& LevelWatch<T>::invariant(std::string_view name) const {
  const auto& rows = manifold_.system().elements().invariant_rows;
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const NamedRows& named) { return named.name == name; });
  return invariants_.at(static_cast<std::size_t>(found - rows.begin()));
}

COTANGENT_INSTANTIATE(PRECISIONS, LevelWatch);

}  // namespace cotangent
