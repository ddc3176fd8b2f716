#include "cotangent/analyze/stability/linearised_field.hpp"

#include <algorithm>

#include "cotangent/monitor/tangent/dual_point.hpp"

namespace cotangent {

LinearisedField::LinearisedField(std::shared_ptr<const CompiledModel> model, const std::string& formulation,
                                 const FormulationOptions& options, const std::vector<std::int64_t>& redundant)
    : system_(std::move(model)),
      manifold_(system_),
      formulation_(find_formulation<Tangents>(formulation).make(manifold_, options)),
      hidden_(system_),
      g_(static_cast<std::size_t>(system_.m())),
      g_dot_(g_),
      work_(g_) {
  manifold_.matrix().set_nullity(redundant.size());
  for (std::int64_t r = 0; r < system_.m(); ++r)
    if (std::find(redundant.begin(), redundant.end(), r) == redundant.end())
      rows_.push_back(static_cast<std::size_t>(r));
}

bool LinearisedField::enter(const PhasePoint<double>& z) {
  x_ = dual_point(z);
  if (!formulation_->is_physical()) {
    OwnVariables<Tangents> own;
    formulation_->begin_step(x_, own);
    if (!formulation_->enter(x_, own)) return false;
    x_.q = own.q;
    x_.p = own.p;
  }
  x_dot_ = x_;
  return true;
}

bool LinearisedField::evaluate() {
  return formulation_->field({x_.q.data(), x_.p.data(), x_.s.data(), Tangents(x_.t)}, x_dot_.q.data(), x_dot_.p.data(),
                             x_dot_.s.data());
}

// r and h: (g, G q' + g_t) and (psi, psi'). Variables that are not q and p but leave psi open are q and v.
void LinearisedField::residuals(Numbers& values, Numbers& rates) {
  values.clear();
  rates.clear();
  const auto add = [&](const Numbers& value, const Numbers& rate) {
    for (const std::size_t r : rows_) {
      values.push_back(value[r]);
      rates.push_back(rate[r]);
    }
  };
  if (system_.m() == 0) return;
  const PointRef<Tangents> x(x_.q.data(), x_.p.data(), x_.s.data(), Tangents(x_.t));
  if (!facts().on_position) {
    system_.at(x).g(g_);
    system_.at(x).g_rate(x_dot_.q, g_dot_);
    add(g_, g_dot_);
  }
  if (facts().on_momentum) return;
  if (formulation_->is_physical()) {
    hidden_.at(x);
    hidden_.psi(g_.data());
    hidden_.along(x_dot_.q.data(), x_dot_.p.data(), Time::moves, g_dot_.data());
  } else {
    system_.at(x).g_rate(x_.p, g_);
    system_.at(x).g_second(x_.p, x_.p, Time::moves, g_dot_);
    system_.at(x).G_times(x_dot_.p, work_);
    for (std::size_t r = 0; r < work_.size(); ++r) g_dot_[r] += work_[r];
  }
  add(g_, g_dot_);
}

std::optional<LinearisedField::Derivatives> LinearisedField::at(const PhasePoint<double>& z) {
  if (!enter(z)) return std::nullopt;
  std::vector<Tangents*> entries;
  std::vector<const Tangents*> slopes;
  const auto list = [&](Numbers& x, const Numbers& x_dot, std::size_t count) {
    for (std::size_t j = 0; j < count; ++j) {
      entries.push_back(&x[j]);
      slopes.push_back(&x_dot[j]);
    }
  };
  list(x_.q, x_dot_.q, x_.q.size());
  list(x_.p, x_dot_.p, x_.p.size());
  list(x_.s, x_dot_.s, static_cast<std::size_t>(system_.elements().states));
  const std::size_t size = entries.size();
  Derivatives found{Matrix(size, size), {}, {}, std::vector<double>(size)};
  Matrix rates;
  for (std::size_t j = 0; j < size; j += 2) {
    const std::size_t count = std::min<std::size_t>(2, size - j);
    for (std::size_t k = 0; k < count; ++k) entries[j + k]->d[k] = 1;
    if (!evaluate()) return std::nullopt;
    residuals(values_, rates_);
    if (j == 0) found.gradients = rates = Matrix(values_.size(), size);
    for (std::size_t k = 0; k < count; ++k) {
      for (std::size_t i = 0; i < size; ++i) found.field(i, j + k) = slopes[i]->d[k];
      for (std::size_t r = 0; r < values_.size(); ++r) {
        found.gradients(r, j + k) = values_[r].d[k];
        rates(r, j + k) = rates_[r].d[k];
      }
      entries[j + k]->d[k] = 0;
    }
  }
  for (std::size_t i = 0; i < size; ++i) found.f[i] = slopes[i]->value;
  found.residuals = product(rates, right_inverse(found.gradients));
  return found;
}

std::optional<std::vector<double>> LinearisedField::residual_rates(const PhasePoint<double>& z) {
  if (!enter(z) || !evaluate()) return std::nullopt;
  residuals(values_, rates_);
  std::vector<double> result;
  for (const Tangents& rate : rates_) result.push_back(rate.value);
  return result;
}

}  // namespace cotangent
