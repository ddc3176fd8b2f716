#include "cotangent/output/own_values.hpp"

#include <algorithm>
#include <limits>
#include <string_view>

namespace cotangent {
namespace {

struct Halves {
  std::string_view formulation, first, second;
};
constexpr Halves kCharts[]{{"state-space", "delta", "theta"},
                           {"state-space-velocity", "delta", "delta_dot"},
                           {"lagrange-2", "minimal", "minimal_dot"}};

}  // namespace

template <class T>
OwnValues<T>::OwnValues(Manifold<T>& manifold, const std::string& formulation, const FormulationOptions& options)
    : manifold_(manifold) {
  const bool has_chart =
      std::ranges::any_of(kCharts, [&](const Halves& halves) { return halves.formulation == formulation; });
  if (!has_chart && formulation != "impetus") return;
  formulation_ = find_formulation<T>(formulation).make(manifold, options);
  const auto n = static_cast<std::size_t>(manifold.system().n());
  change_.resize(n);
  pulled_back_.resize(n);
  l_.resize(static_cast<std::size_t>(manifold.system().m()));
}

template <class T>
OwnNames OwnValues<T>::names(const PhasePoint<T>& z) {
  if (!formulation_) return {};
  OwnNames names;
  names.has_impetus = formulation_->facts().name == "impetus";
  for (const Halves& halves : kCharts)
    if (halves.formulation == formulation_->facts().name) names.first = halves.first, names.second = halves.second;
  formulation_->begin_step(z, entered_);
  names.size = formulation_->size();
  return names;
}

template <class T>
const OwnVariables<T>& OwnValues<T>::at(const PhasePoint<T>& z, const OwnVariables<T>* own) {
  if (own && own->is_current && own->owner == formulation_->id()) return *own;
  if (own && own->owner == formulation_->id()) entered_ = *own;
  entered_.is_current = false;
  formulation_->begin_step(z, entered_);
  formulation_->sign(entered_);
  if (formulation_->enter(z, entered_)) return entered_;
  for (auto* half : {&entered_.q, &entered_.p})
    half->assign(static_cast<std::size_t>(formulation_->size()), T(std::numeric_limits<double>::quiet_NaN()));
  return entered_;
}

template <class T>
const std::vector<T>& OwnValues<T>::strictions(const PhasePoint<T>& z, const OwnVariables<T>* own) {
  if (l_.empty()) return l_;
  const std::vector<T>& p_star = at(z, own).p;
  for (std::size_t j = 0; j < change_.size(); ++j) change_[j] = p_star[j] - z.p[j];
  const At<T> here = manifold_.system().at(z);
  here.H_pp_times(change_, pulled_back_);
  here.G_times(pulled_back_, l_);
  const bool is_regular = manifold_.matrix().factor(z).regular;
  manifold_.matrix().solve(l_.data());
  if (!is_regular) std::ranges::fill(l_, T(std::numeric_limits<double>::quiet_NaN()));
  return l_;
}

COTANGENT_INSTANTIATE(PRECISIONS, OwnValues);

}  // namespace cotangent
