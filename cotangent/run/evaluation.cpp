#include "cotangent/run/evaluation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>

#include "cotangent/formulation/formulation.hpp"
#include "cotangent/manifold/regular_elements.hpp"
#include "cotangent/monitor/point_values.hpp"
#include "cotangent/output/point_columns.hpp"
#include "cotangent/run/models.hpp"
#include "cotangent/run/options/option_table.hpp"
#include "cotangent/run/parts/run_machine.hpp"
#include "cotangent/system/matrix/jacobian.hpp"

namespace cotangent {
namespace {

std::shared_ptr<const CompiledModel> compile(const Model& model) {
  std::vector<std::string> notes;  // told by runs
  return compiled_model(model, regular_elements(model, notes), has_jit() ? Backend::jit : Backend::interpreter);
}

std::vector<std::string> row_names(const std::vector<NamedRows>& all) {
  std::vector<std::string> names;
  for (const NamedRows& rows : all)
    for (std::int64_t r = rows.first; r < rows.first + rows.count; ++r) names.push_back(rows.row_name(r));
  return names;
}

}  // namespace

class Evaluation::Body {
 public:
  explicit Body(const Model& given)
      : model(branch(given)),
        system(compile(model)),
        manifold(system),
        values(manifold),
        jacobian(system),
        z(system.n(), system.state_count()),
        rows(row_names(system.elements().rows)),
        observables(row_names(system.elements().observable_rows)) {
    for (const VariableColumn& column : variable_columns(model))
      if (column.part != VariableColumn::p)
        (column.part == VariableColumn::q ? q_places : s_places).push_back(static_cast<std::size_t>(column.place));
  }

  /// From the order of columns to that of points, and back.
  static void scatter(const char* name, const std::vector<std::size_t>& places, std::span<const double> from,
                      std::vector<double>& to) {
    if (!from.empty() && from.size() != places.size())
      throw std::invalid_argument(
          fmt::format("{} has {} numbers, and the model has {}", name, from.size(), places.size()));
    std::ranges::fill(to, 0);
    for (std::size_t k = 0; k < from.size(); ++k) to[places[k]] = from[k];
  }
  static std::vector<double> gather(const std::vector<std::size_t>& places, const std::vector<double>& from) {
    std::vector<double> to;
    for (const std::size_t place : places) to.push_back(from[place]);
    return to;
  }

  std::vector<double> new_rows() const { return std::vector<double>(static_cast<std::size_t>(system.m())); }
  std::vector<double> new_vector() const { return std::vector<double>(static_cast<std::size_t>(system.n())); }

  Formulation<double>& formulation(const std::string& name, const RunPlan& plan) {
    std::string key = name;
    for (const auto& [option, text] : words_of(plan)) key += ' ' + option + '=' + text;
    auto& made = fields[key];
    if (!made) made = find_formulation<double>(name).make(manifold, plan.formulation_options());
    if (!made->is_physical())
      throw std::invalid_argument(fmt::format("the formulation '{}' has variables of its own, {}, in the place of q, p",
                                              name, made->facts().variables));
    return *made;
  }

  Model model;
  System<double> system;
  Manifold<double> manifold;
  PointValues<double> values;
  Jacobian<double> jacobian;
  PhasePoint<double> z;
  std::vector<std::string> rows, observables;
  std::vector<std::size_t> q_places, s_places;  // in a point, of the entries in the order of columns
  std::map<std::string, std::unique_ptr<Formulation<double>>> fields;
};

Evaluation::Evaluation(const Model& model) : body_(std::make_unique<Body>(model)) {}
Evaluation::~Evaluation() = default;
Evaluation::Evaluation(Evaluation&&) noexcept = default;
Evaluation& Evaluation::operator=(Evaluation&&) noexcept = default;

std::int64_t Evaluation::coordinates() const { return body_->system.n(); }
std::int64_t Evaluation::states() const { return body_->system.elements().states; }
const std::vector<std::string>& Evaluation::constraint_names() const { return body_->rows; }
const std::vector<std::string>& Evaluation::observable_names() const { return body_->observables; }
bool Evaluation::has_energy() const { return body_->model.dynamics != Dynamics::equations; }

void Evaluation::move_to(double t, std::span<const double> q, std::span<const double> p, std::span<const double> s) {
  Body& b = *body_;
  Body::scatter("q", b.q_places, q, b.z.q);
  Body::scatter("p", b.q_places, p, b.z.p);
  Body::scatter("s", b.s_places, s, b.z.s);
  b.z.t = t;
}

double Evaluation::t() const { return body_->z.t; }
std::vector<double> Evaluation::q() const { return Body::gather(body_->q_places, body_->z.q); }
std::vector<double> Evaluation::p() const { return Body::gather(body_->q_places, body_->z.p); }
std::vector<double> Evaluation::s() const { return Body::gather(body_->s_places, body_->z.s); }

double Evaluation::H() {
  if (!has_energy()) throw std::invalid_argument("ordinary differential equations have no H");
  return body_->system.at(body_->z).H();
}

std::vector<double> Evaluation::velocities() {
  return Body::gather(body_->q_places, body_->values.velocities(body_->z));
}

std::vector<double> Evaluation::constraints() {
  std::vector<double> g = body_->new_rows();
  if (!g.empty()) body_->system.at(body_->z).g(g);
  return g;
}

std::vector<double> Evaluation::hidden_constraints() {
  std::vector<double> v = body_->new_vector(), psi = body_->new_rows();
  if (!psi.empty()) body_->system.at(body_->z).psi(v, psi);
  return psi;
}

SparseRows Evaluation::jacobian() {
  Body& b = *body_;
  SparseRows result{b.system.m(), b.system.n(), {}, {}, std::vector<double>(b.jacobian.entries().size())};
  std::vector<std::int64_t> column_of(b.q_places.size());
  for (std::size_t k = 0; k < b.q_places.size(); ++k) column_of[b.q_places[k]] = static_cast<std::int64_t>(k);
  for (const TripletPlace& place : b.jacobian.entries()) {
    result.rows.push_back(place.row);
    result.columns.push_back(column_of[static_cast<std::size_t>(place.column)]);
  }
  b.jacobian.evaluate(b.z.q, b.z.t, result.values);
  return result;
}

std::vector<double> Evaluation::multipliers() {
  std::vector<double> lambda = body_->values.multipliers(body_->z);
  if (!std::ranges::all_of(lambda, [](double x) { return std::isfinite(x); }))
    throw std::runtime_error("the multipliers are not determined there: constraints are dependent");
  return lambda;
}

std::vector<double> Evaluation::observables() { return body_->values.observables(body_->z); }

PointRates Evaluation::field(const std::string& formulation, const RunPlan& options) {
  Body& b = *body_;
  Formulation<double>& f = b.formulation(formulation, options);
  std::vector<double> q = b.new_vector(), p = b.new_vector(), s(b.z.s.size());
  if (!f.field(b.z, q.data(), p.data(), s.data()))
    throw std::runtime_error(
        fmt::format("the formulation '{}' has no value there: {}", formulation, describe(f.failure(0).status)));
  return {Body::gather(b.q_places, q), Body::gather(b.q_places, p), Body::gather(b.s_places, s)};
}

void Evaluation::project() {
  Body& b = *body_;
  if (b.system.m() == 0) return;
  if (!b.manifold.project_position_nearest(b.z).converged || !b.manifold.project_momentum(b.z).converged)
    throw std::runtime_error("no point of the constraints was found near this one");
}

}  // namespace cotangent
