#include "cotangent/system/matrix/jacobian.hpp"

#include <algorithm>
#include <set>

#include "cotangent/base/instantiate.hpp"

namespace cotangent {

// The rows without group variables.
template <class T>
const TripletPlan& Jacobian<T>::plan(const CompiledModel& model) {
  return model.shared<TripletPlan>("G", [&] {
    TripletPlan plan(model.elements());
    for (const Family& stated : model.elements().constraints) {
      if (stated.uses(Space::w)) continue;
      const Family family = plan.builder().own(stated);
      const auto f_x = slot_gradient(family);
      std::vector<TripletPlan::Value> values;
      for (std::size_t s = 0; s < f_x.size(); ++s)
        if (family.slots[s].space == Space::q) values.push_back({f_x[s], &family.row, &family.slots[s].at});
      plan.add(stated, values);
    }
    return plan;
  });
}

template <class T>
Jacobian<T>::Jacobian(System<T>& system)
    : system_(system),
      triplets_(system.model(), "G", plan(system.model())),
      unit_(static_cast<std::size_t>(system.m()), T(0)),
      frame_(system.frame()) {
  if (const auto& declared = system.elements().declared) {
    for (const auto& [row, column] : declared->constraint_places) entries_.push_back({row, column});
    return;
  }
  std::set<std::int64_t> full;
  for (const Family& family : system.elements().constraints)
    for (std::int64_t k = 0; k < family.count && family.uses(Space::w); ++k) full.insert(family.row(k));

  // A row that also has terms without groups gets all of them from the product; its other entries stay zero.
  entries_ = triplets_.places();
  first_full_ = static_cast<std::int64_t>(entries_.size());
  full_rows_.assign(full.begin(), full.end());
  for (const std::int64_t row : full_rows_)
    for (std::int64_t j = 0; j < system.n(); ++j) entries_.push_back({row, j});
}

template <class T>
void Jacobian<T>::evaluate(Reads<T> q, const T& t, Writes<T> values) {
  if (system_.elements().declared) {
    system_.source()->G(q, t, values);
    return;
  }
  frame_.in[in::q] = q;
  frame_.in[in::t] = &t;
  frame_.out[out::result] = values;
  triplets_.evaluate(frame_);
  if (full_rows_.empty()) return;

  for (std::int64_t e = 0; e < first_full_; ++e) {
    const bool is_full =
        std::binary_search(full_rows_.begin(), full_rows_.end(), entries_[static_cast<std::size_t>(e)].row);
    if (is_full) values[e] = T(0);
  }
  for (std::size_t k = 0; k < full_rows_.size(); ++k) {
    T& weight = unit_[static_cast<std::size_t>(full_rows_[k])];
    weight = T(1);
    system_.at(q, t).Gt_times(unit_, values + first_full_ + static_cast<std::int64_t>(k) * system_.n());
    weight = T(0);
  }
}

COTANGENT_INSTANTIATE(NUMBERS, Jacobian);

}  // namespace cotangent
