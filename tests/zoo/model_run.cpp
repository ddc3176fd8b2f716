#include "tests/zoo/model_run.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <stdexcept>

#include "cotangent/elements/elements.hpp"
#include "cotangent/expr/algorithm.hpp"
#include "cotangent/integrator/registry/registry.hpp"
#include "cotangent/manifold/initial_data.hpp"
#include "cotangent/manifold/manifold.hpp"
#include "cotangent/manifold/redundancy.hpp"
#include "cotangent/manifold/regular_elements.hpp"
#include "cotangent/model/reader.hpp"
#include "cotangent/monitor/point_values.hpp"

namespace cotangent::zoo {
namespace {

std::filesystem::path folder() { return COTANGENT_SOURCE_DIR "/models"; }

}  // namespace

std::vector<std::string> model_names() {
  std::vector<std::string> names;
  for (const auto& file : std::filesystem::directory_iterator(folder()))
    if (file.path().extension() == ".toml") names.push_back(file.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

double Point::operator[](const std::string& name) const {
  const auto found = values.find(name);
  if (found == values.end()) throw std::out_of_range("the model has no " + name);
  return found->second;
}

struct ModelRun::Parts {
  Parts(const std::string& name, const std::vector<std::string>& set, const std::string& method)
      : model(read_model(folder() / (name + ".toml"), set)),
        elements(regular_elements(model, notes)),
        system(elements, has_jit() ? Backend::jit : Backend::interpreter),
        manifold(system),
        integrator(find_method<double>(method.empty() ? usual_method() : method).make(manifold)),
        details(manifold),
        data(make_initial_data(model, manifold)),
        initial(describe_point(data.z)) {
    settle_redundancy(manifold, data.z);
  }

  const char* usual_method() const { return model.dynamics == Dynamics::equations ? "radau-iia:3" : "rattle"; }

  Point describe_point(const PhasePoint<double>& z) {
    Point point;
    const std::vector<double> v = details.velocities(z);
    const std::vector<double> lambda = details.multipliers(z);
    for (std::size_t j = 0; j < z.q.size(); ++j) {
      const std::string entry = entry_name(model, static_cast<std::int64_t>(j));
      point.values[entry] = z.q[j];
      point.values["p_" + entry] = z.p[j];
      point.values["v_" + entry] = v[j];
    }
    for (std::size_t r = 0; r < lambda.size(); ++r)
      point.values["lambda_" + elements->row_name(static_cast<std::int64_t>(r))] = lambda[r];
    if (system.m() > 0) {
      const auto position = manifold.position_residual(z.q.data(), z.t);
      const auto momentum = manifold.momentum_residual(z);
      point.position = position.value;
      point.position_level = position.level;
      point.momentum = momentum.value;
      point.momentum_level = momentum.level;
    }
    for (std::size_t j = 0; j < static_cast<std::size_t>(elements->states); ++j)
      point.values[state_entry_name(model, static_cast<std::int64_t>(j))] = z.s[j];
    return point;
  }

  Model model;
  std::vector<std::string> notes;
  std::shared_ptr<const Elements> elements;
  System<double> system;
  Manifold<double> manifold;
  std::unique_ptr<Integrator<double>> integrator;
  PointValues<double> details;
  InitialData<double> data;
  Point initial;
};

ModelRun::ModelRun(const std::string& model, const std::vector<std::string>& set, const std::string& method)
    : parts_(std::make_unique<Parts>(model, set, method)) {}
ModelRun::~ModelRun() = default;
ModelRun::ModelRun(ModelRun&&) noexcept = default;

const Point& ModelRun::initial() const { return parts_->initial; }

double ModelRun::initial_change() const { return std::max(parts_->data.position_change, parts_->data.momentum_change); }

double ModelRun::default_step() const {
  if (!parts_->model.run.contains("step")) return 1e-6;
  const RunValue& step = parts_->model.run.at("step");
  if (const auto* whole = std::get_if<std::int64_t>(&step)) return static_cast<double>(*whole);
  if (const auto* text = std::get_if<std::string>(&step))
    return evaluate<double>(read_expression(parts_->model, *text), [](SymbolId, auto) -> double {
      throw std::runtime_error("a step of the zoo has parameters");
    });
  return std::get<double>(step);
}

Point ModelRun::at(Real T, int steps) {
  cotangent::Point<double> z = parts_->data.z;
  const auto h = static_cast<double>(T / static_cast<Real>(steps));
  std::int64_t done = 0;
  const auto report = parts_->integrator->advance(z, h, steps, done);
  if (report.status != StepStatus::ok)
    throw std::runtime_error(fmt::format("step {} of {}: {}; residual {:.3g}, tolerance {:.3g}", done + 1, steps,
                                         describe(report.status), report.residual, report.tolerance));
  return parts_->describe_point(z);
}

std::vector<std::string> entries(const std::string& array, int rows) {
  std::vector<std::string> names;
  for (int i = 1; i <= rows; ++i) names.push_back(fmt::format("{}[{}]", array, i));
  return names;
}

std::vector<std::string> entries(const std::string& array, int rows, int columns) {
  std::vector<std::string> names;
  for (int i = 1; i <= rows; ++i)
    for (int j = 1; j <= columns; ++j) names.push_back(fmt::format("{}[{},{}]", array, i, j));
  return names;
}

Expected expected(const std::vector<std::string>& names, const Motion& motion) {
  Expected values;
  for (std::size_t i = 0; i < names.size(); ++i) {
    values[names[i]] = motion.x.at(i);
    values["v_" + names[i]] = motion.v.at(i);
  }
  return values;
}

void expect_starts_at(const ModelRun& run, const Expected& values) {
  EXPECT_LT(run.initial_change(), 1e-13) << "[initial] of the model is not consistent";
  for (const auto& [name, value] : values) {
    const double given = run.initial()[name];
    // [initial] is evaluated and projected in double: a few units in the last place of numbers of order one.
    EXPECT_NEAR(given, static_cast<double>(value), 1e-13 * std::max(1.0, std::abs(given))) << name;
  }
}

namespace {

// What is measured on one scale: positions and states, velocities, momenta, multipliers.
char kind(const std::string& name) {
  if (name.starts_with("v_")) return 'v';
  if (name.starts_with("p_")) return 'p';
  return name.starts_with("lambda_") ? 'l' : 'q';
}

}  // namespace

void expect_on_manifold(const Point& point) {
  // The level is that of the sums g and G v. Where all their terms are small, the rounding of q and p itself is larger.
  constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
  double q = 0, v = 0;
  for (const auto& [name, value] : point.values) {
    if (kind(name) == 'q') q = std::max(q, std::abs(value));
    if (kind(name) == 'v') v = std::max(v, std::abs(value));
  }
  EXPECT_LE(point.position, 10 * point.position_level + kEpsilon * q);
  EXPECT_LE(point.momentum, 10 * point.momentum_level + kEpsilon * v);
}

namespace {

Real norm(const Vec& x) {
  Real sum = 0;
  for (const Real value : x) sum += value * value;
  return std::sqrt(sum);
}

// The error after one step of Richardson's extrapolation.
Vec extrapolated(const Vec& coarse, const Vec& fine, int order) {
  const Real power = std::pow(Real(2), static_cast<Real>(order));
  Vec result(coarse.size());
  for (std::size_t i = 0; i < coarse.size(); ++i) result[i] = (power * fine[i] - coarse[i]) / (power - 1);
  return result;
}

}  // namespace

void expect_converges(ModelRun& run, Real T, int n, const Measure& measure, const Vec& values,
                      Convergence convergence) {
  std::vector<Vec> error;
  for (const int steps : {n, 2 * n, 4 * n}) {
    const Point point = run.at(T, steps);
    expect_on_manifold(point);
    error.push_back(measure(point));
    for (std::size_t i = 0; i < values.size(); ++i) error.back().at(i) -= values[i];
  }
  const Real coarse = norm(error[1]), fine = norm(error[2]);
  const Real first = norm(extrapolated(error[0], error[1], convergence.order));
  const Real second = norm(extrapolated(error[1], error[2], convergence.order));
  const auto power = [](int exponent) { return std::pow(2.0, exponent); };
  const std::string numbers = fmt::format("errors {:.3g}, {:.3g}, {:.3g}; extrapolated {:.3g}, {:.3g}", norm(error[0]),
                                          coarse, fine, first, second);
  EXPECT_NEAR(static_cast<double>(coarse / fine), power(convergence.order), 0.1 * power(convergence.order)) << numbers;
  EXPECT_NEAR(static_cast<double>(first / second), power(convergence.next), 0.4 * power(convergence.next)) << numbers;
}

void expect_converges(ModelRun& run, Real T, int n, const Expected& values, Convergence convergence) {
  std::map<char, Real> scale;
  for (const auto& [name, value] : values) scale[kind(name)] = std::max(scale[kind(name)], std::abs(value));
  Vec scaled;
  for (const auto& [name, value] : values) scaled.push_back(value / scale[kind(name)]);
  const Measure measure = [&](const Point& point) {
    Vec result;
    for (const auto& [name, value] : values) result.push_back(static_cast<Real>(point[name]) / scale[kind(name)]);
    return result;
  };
  expect_converges(run, T, n, measure, scaled, convergence);
}

}  // namespace cotangent::zoo
