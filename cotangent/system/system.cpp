#include "cotangent/system/system.hpp"

#include "cotangent/base/instantiate.hpp"
#include "cotangent/system/black_box_source.hpp"
#include "cotangent/system/legendre.hpp"
#include "cotangent/system/mass.hpp"

namespace cotangent {

template <class T>
System<T>::System(std::shared_ptr<const Elements> elements, Backend backend)
    : elements_(std::move(elements)), builder_(*elements_), compiler_(backend) {
  for (const auto& column : builder_.columns()) columns_.push_back(evaluate_column(column));
  if (elements_->group_count > 0) {
    const std::vector<T> zeros(static_cast<std::size_t>(elements_->group_count), T(0));
    groups_.assign(in::kMasks, zeros);
    adjoints_.assign(in::kMasks, zeros);
    scales_ = zeros;
  }
  row_scales_.assign(static_cast<std::size_t>(elements_->m), T(0));
  has_work_ = elements_->has_forces() || !elements_->is_autonomous();
  is_separable_ = find_separable();
  if (elements_->dynamics == Dynamics::lagrangian) {
    auto legendre = std::make_unique<Legendre<T>>(*this);
    legendre_ = legendre.get();
    source_ = std::move(legendre);
  } else if (!elements_->declared) {
    evaluate_mass();
  }
}

// Kernels are left for what a black box has not, such as forces; there is nothing to compile.
template <class T>
System<T>::System(BlackBox box) requires std::same_as<T, double>
    : System(black_box_elements(box), Backend::interpreter) {
  source_ = std::make_unique<BlackBoxSource>(std::move(box));
}

template <class T>
System<T>::~System() = default;

// Columns and masses are evaluated once: not worth compiling.
template <class T>
std::vector<T> System<T>::evaluate_column(const ContractionBuilder::ColumnOf& column) const {
  const Family& family = *column.family;
  KernelSpec spec;
  spec.count = family.count;
  for (const auto& index : family.indices) spec.counters.push_back({index.symbol, index.at});
  std::vector<std::vector<T>> tables;
  for (const auto& entry : column.column->entries) {
    spec.loads.push_back({entry.symbol, static_cast<int>(tables.size()), entry.at});
    auto& table = tables.emplace_back();
    for (const Quad x : elements_->tables[static_cast<std::size_t>(entry.table)])
      table.push_back(T(static_cast<LaneOf<T>>(x)));
  }
  std::vector<const T*> in;
  for (const auto& table : tables) in.push_back(table.data());
  spec.stores.push_back({column.column->value, 0, IndexMap::affine(0, 1), KernelSpec::Mode::assign});
  std::vector<T> values(static_cast<std::size_t>(family.count));
  KernelCompiler<T> compiler(Backend::interpreter);
  T* const out[] = {values.data()};
  compiler.add(std::move(spec))(in.data(), out);
  return values;
}

template <class T>
void System<T>::evaluate_mass() {
  const auto mass = constant_diagonal_mass(*elements_, builder_);
  if (!mass) return;
  is_homogeneous_ = mass->is_homogeneous;
  diagonal_mass_.emplace(static_cast<std::size_t>(n()), T(0));
  KernelCompiler<T> compiler(Backend::interpreter);
  Frame<T> f = frame();
  f.out[out::result] = diagonal_mass_->data();
  for (const auto& spec : mass->kernels) compiler.add(spec)(f.in.data(), f.out.data());
}

template <class T>
std::optional<Quad> System<T>::uniform_mass() const {
  if (!diagonal_mass_ || diagonal_mass_->empty()) return std::nullopt;
  const auto first = lane(diagonal_mass_->front(), 0);
  for (const T& w : *diagonal_mass_)
    if (lane(w, 0) != first) return std::nullopt;
  return static_cast<Quad>(first);
}

template <class T>
const Operation<T>& System<T>::operation(const Contraction& contraction) {
  const auto found = operations_.find(contraction);
  if (found != operations_.end()) return *found->second;
  std::unique_ptr<Operation<T>> made;
  if (source_) made = source_->make(contraction);
  if (!made) {
    const ContractionPlan plan = builder_.build(contraction);
    std::vector<Kernel<T>> kernels;
    for (const auto& spec : plan.kernels) kernels.push_back(compiler_.add(spec));
    const std::int64_t rows = contraction.norms && !plan.rows_from_one_family ? m() : 0;
    made = std::make_unique<KernelOperation<T>>(plan, std::move(kernels), rows);
  }
  return *operations_.emplace(contraction, std::move(made)).first->second;
}

template <class T>
bool System<T>::vanishes(const Contraction& contraction) {
  if (!is_made_of_elements(contraction)) return false;
  const ContractionPlan plan = builder_.build(contraction);
  for (const auto& spec : plan.kernels)
    for (const auto& store : spec.stores)
      if (store.vector == out::result) return false;
  return true;
}

// L = T(v) - V(q) is as good as H = T(p) + V(q).
template <class T>
bool System<T>::find_separable() {
  if (elements_->declared) return elements_->declared->is_separable;
  const bool of_L = elements_->dynamics == Dynamics::lagrangian;
  return vanishes({.of = of_L ? Contraction::Of::L : Contraction::Of::H,
                   .directions = {{.q = false, .p = !of_L, .v = of_L}},
                   .result = Contraction::Result::gradient_q});
}

template <class T>
Frame<T> System<T>::frame() {
  Frame<T> frame;
  frame.in.assign(static_cast<std::size_t>(in::kColumns) + columns_.size(), nullptr);
  frame.out.assign(static_cast<std::size_t>(out::kVectors), nullptr);
  frame.in[in::t] = &no_time_;
  for (std::size_t mask = 0; mask < groups_.size(); ++mask) {
    frame.in[in::kGroups + mask] = frame.out[out::kGroups + mask] = groups_[mask].data();
    frame.in[in::kAdjoints + mask] = frame.out[out::kAdjoints + mask] = adjoints_[mask].data();
  }
  frame.in[in::kScales] = frame.out[out::kScales] = scales_.data();
  frame.out[out::kRowScales] = row_scales_.data();
  for (std::size_t c = 0; c < columns_.size(); ++c) frame.in[in::kColumns + c] = columns_[c].data();
  return frame;
}

COTANGENT_INSTANTIATE(NUMBERS, System);

}  // namespace cotangent
