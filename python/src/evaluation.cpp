#include "cotangent/run/evaluation.hpp"

#include <pybind11/stl.h>

#include <functional>

#include "arrays.hpp"
#include "cotangent/run/options/option_table.hpp"
#include "cotangent/run/options/plan_run.hpp"
#include "model.hpp"
#include "module.hpp"
#include "options.hpp"

namespace py = pybind11;
using namespace cotangent;

namespace {

/// Points, one in each row; vectors that are not needed may be empty.
struct Points {
  Numbers t, q, p, s;

  py::ssize_t count() const { return t.size(); }
  static std::span<const double> row(const Numbers& x, py::ssize_t k, py::ssize_t count) {
    const auto width = static_cast<std::size_t>(x.size() / count);
    return as_span(x).subspan(static_cast<std::size_t>(k) * width, width);
  }
  void move(Evaluation& evaluation, py::ssize_t k) const {
    evaluation.move_to(t.data()[k], row(q, k, count()), row(p, k, count()), row(s, k, count()));
  }
};

// One row of numbers for each point.
template <class Values>
py::array each(Evaluation& evaluation, const Points& points, const Values& values) {
  std::vector<double> all;
  std::size_t columns = 0;
  for (py::ssize_t k = 0; k < points.count(); ++k) {
    points.move(evaluation, k);
    const std::vector<double> row = values(evaluation);
    columns = row.size();
    all.insert(all.end(), row.begin(), row.end());
  }
  return as_matrix(std::move(all), static_cast<std::size_t>(points.count()), columns);
}

std::vector<double> joined(const std::vector<double>& a, const std::vector<double>& b, const std::vector<double>& c) {
  std::vector<double> all = a;
  all.insert(all.end(), b.begin(), b.end());
  all.insert(all.end(), c.begin(), c.end());
  return all;
}

template <class F>
auto of_points(F values) {
  return [values](Evaluation& evaluation, const Numbers& t, const Numbers& q, const Numbers& p, const Numbers& s) {
    return each(evaluation, {t, q, p, s}, values);
  };
}

}  // namespace

void bind_evaluation(py::module_& module) {
  py::class_<Evaluation>(module, "Evaluation")
      .def(py::init([](ModelHandle& model) { return std::make_unique<Evaluation>(model.runnable()); }))
      .def_property_readonly("constraint_names", &Evaluation::constraint_names)
      .def_property_readonly("observable_names", &Evaluation::observable_names)
      .def_property_readonly("has_energy", &Evaluation::has_energy)
      .def("H", of_points([](Evaluation& e) { return std::vector{e.H()}; }))
      .def("velocities", of_points([](Evaluation& e) { return e.velocities(); }))
      .def("constraints", of_points([](Evaluation& e) { return e.constraints(); }))
      .def("hidden_constraints", of_points([](Evaluation& e) { return e.hidden_constraints(); }))
      .def("multipliers", of_points([](Evaluation& e) { return e.multipliers(); }))
      .def("observables", of_points([](Evaluation& e) { return e.observables(); }))
      .def("project", of_points([](Evaluation& e) {
             e.project();
             return joined(e.q(), e.p(), {});
           }))
      .def("field",
           [](Evaluation& evaluation, const std::string& name, const OptionTexts& texts, const Numbers& t,
              const Numbers& q, const Numbers& p, const Numbers& s) {
             RunPlan options;
             for (const auto& [option, text] : texts)
               find_option(option)->set(options, value_of(*find_option(option), text));
             return each(evaluation, {t, q, p, s}, [&](Evaluation& e) {
               const PointRates rates = e.field(name, options);
               return joined(rates.q, rates.p, rates.s);
             });
           })
      .def("jacobian", [](Evaluation& evaluation, double t, const Numbers& q) {
        evaluation.move_to(t, as_span(q));
        SparseRows G = evaluation.jacobian();
        return py::make_tuple(as_array(std::move(G.values)), py::cast(G.rows), py::cast(G.columns), G.row_count,
                              G.column_count);
      });
}
