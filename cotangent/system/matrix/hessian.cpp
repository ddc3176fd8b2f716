#include "cotangent/system/matrix/hessian.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/base/limits.hpp"
#include "cotangent/derivatives/derivatives.hpp"
#include "cotangent/expr/algorithm.hpp"

namespace cotangent {

HessianPlan::HessianPlan(const Elements& elements, Contraction::Of of, Space rows, Space columns)
    : TripletPlan(elements), depends(static_cast<std::size_t>(Space::w) + 1, 0) {
  for (const Family& stated : builder().families_of(of)) {
    const Family family = builder().own(stated);
    const auto symbols = slot_symbols(family), f_x = slot_gradient(family);
    std::vector<Value> values;
    for (std::size_t i = 0; i < symbols.size(); ++i) {
      if (family.slots[i].space != rows) continue;
      const auto f_xy = gradient(f_x[i], symbols);
      for (std::size_t j = 0; j < symbols.size(); ++j) {
        if (family.slots[j].space != columns) continue;
        values.push_back({f_xy[j], &family.slots[i].at, &family.slots[j].at});
        for (std::size_t s = 0; s < symbols.size(); ++s)
          if (depends_on(f_xy[j], [&](Expr e) { return e == symbols[s]; }))
            depends[static_cast<std::size_t>(family.slots[s].space)] = 1;
      }
    }
    add(stated, values);
  }
}

template <class T>
Hessian<T>::Hessian(System<T>& system, Contraction::Of of, Space rows, Space columns)
    : system_(system), frame_(system.frame()) {
  const CompiledModel& model = system.model();
  const auto& families = ContractionBuilder(model.elements()).families_of(of);
  if (std::ranges::any_of(families, [](const Family& family) { return family.uses(Space::w); })) {
    plan_full(of, rows, columns);
    return;
  }
  const std::string key =
      fmt::format("{} {} {}", static_cast<int>(of), static_cast<int>(rows), static_cast<int>(columns));
  plan_ = &model.shared<HessianPlan>(key, [&] { return HessianPlan(model.elements(), of, rows, columns); });
  triplets_.emplace(model, "second derivatives " + key, *plan_);
}

template <class T>
void Hessian<T>::plan_full(Contraction::Of of, Space rows, Space columns) {
  const std::int64_t n = system_.n();
  if (n > kLimits.full)
    throw std::invalid_argument(fmt::format(
        "a function of a sum couples {} coordinates with each other: at most {} are supported", n, kLimits.full));
  for (std::int64_t c = 0; c < n; ++c)
    for (std::int64_t r = 0; r < n; ++r) full_.push_back({r, c});
  product_ = &system_.operation(
      {.of = of,
       .directions = {{.q = columns == Space::q, .p = columns == Space::p, .v = columns == Space::v}},
       .result = Contraction::gradient_by(rows)});
  direction_ = in::argument(columns, 0);
  unit_.assign(static_cast<std::size_t>(n), T(0));
}

template <class T>
void Hessian<T>::evaluate(T* values) {
  frame_.out[out::result] = values;
  if (triplets_) {
    triplets_->evaluate(frame_);
    return;
  }
  frame_.in[static_cast<std::size_t>(direction_)] = unit_.data();
  for (std::size_t c = 0; c < unit_.size(); ++c) {
    unit_[c] = T(1);
    frame_.out[out::result] = values + c * unit_.size();
    (*product_)(frame_);
    unit_[c] = T(0);
  }
}

COTANGENT_INSTANTIATE(NUMBERS, Hessian);

}  // namespace cotangent
