#include "cotangent/run/evaluation.hpp"

#include <pybind11/stl.h>

#include <functional>
#include <mutex>

#include "arrays.hpp"
#include "cotangent/run/options/option_table.hpp"
#include "cotangent/run/options/plan_run.hpp"
#include "interrupt.hpp"
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

// An evaluation that threads share, one after the other; meanwhile others of Python go on.
struct SharedEvaluation {
  explicit SharedEvaluation(const Model& model) : evaluation(model) {}

  Evaluation evaluation;
  std::mutex mutex;
};

// One row of numbers for each point.
template <class Values>
py::array each(SharedEvaluation& shared, const Points& points, const Values& values) {
  Interruptible interruptible;
  std::vector<double> all;
  std::size_t columns = 0;
  {
    const py::gil_scoped_release released;
    const std::scoped_lock lock(shared.mutex);
    const volatile std::sig_atomic_t* stop = interruptible.flag();
    for (py::ssize_t k = 0; k < points.count() && !(stop && *stop != 0); ++k) {
      points.move(shared.evaluation, k);
      const std::vector<double> row = values(shared.evaluation);
      columns = row.size();
      all.insert(all.end(), row.begin(), row.end());
    }
  }
  interruptible.raise_if_interrupted();
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
  return
      [values](SharedEvaluation& evaluation, const Numbers& t, const Numbers& q, const Numbers& p, const Numbers& s) {
        return each(evaluation, {t, q, p, s}, values);
      };
}

}  // namespace

void bind_evaluation(py::module_& module) {
  py::class_<SharedEvaluation>(module, "Evaluation")
      .def(py::init([](ModelHandle& model) { return std::make_unique<SharedEvaluation>(model.runnable()); }),
           py::call_guard<py::gil_scoped_release>())
      .def_property_readonly("constraint_names",
                             [](const SharedEvaluation& e) { return e.evaluation.constraint_names(); })
      .def_property_readonly("observable_names",
                             [](const SharedEvaluation& e) { return e.evaluation.observable_names(); })
      .def_property_readonly("has_energy", [](const SharedEvaluation& e) { return e.evaluation.has_energy(); })
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
           [](SharedEvaluation& evaluation, const std::string& name, const OptionTexts& texts, const Numbers& t,
              const Numbers& q, const Numbers& p, const Numbers& s) {
             static_cast<void>(words_of_python(texts));  // refuses names that there are not
             RunPlan options;
             for (const auto& [option, text] : texts)
               find_option(option)->set(options, value_of(*find_option(option), text));
             return each(evaluation, {t, q, p, s}, [&](Evaluation& e) {
               const PointRates rates = e.field(name, options);
               return joined(rates.q, rates.p, rates.s);
             });
           })
      .def("jacobian", [](SharedEvaluation& shared, double t, const Numbers& q) {
        SparseRows G;
        {
          const py::gil_scoped_release released;
          const std::scoped_lock lock(shared.mutex);
          shared.evaluation.move_to(t, as_span(q));
          G = shared.evaluation.jacobian();
        }
        return py::make_tuple(as_array(std::move(G.values)), py::cast(G.rows), py::cast(G.columns), G.row_count,
                              G.column_count);
      });
}
