#include "cotangent/run/analysis.hpp"

#include <fmt/format.h>
#include <pybind11/stl.h>

#include <mutex>
#include <optional>
#include <type_traits>
#include <utility>

#include "cotangent/analyze/equilibria/equilibrium.hpp"
#include "cotangent/analyze/stability/stability.hpp"
#include "cotangent/base/interruption.hpp"
#include "cotangent/expr/algorithm.hpp"
#include "cotangent/run/check/understanding.hpp"
#include "cotangent/run/options/plan_run.hpp"
#include "cotangent/simulation/pace/decimal.hpp"
#include "interrupt.hpp"
#include "model.hpp"
#include "module.hpp"
#include "options.hpp"

namespace py = pybind11;
using namespace cotangent;

namespace {

// Without the interpreter's lock; Ctrl-C ends it.
template <class F>
std::invoke_result_t<F, const volatile std::sig_atomic_t*> interruptibly(const F& f) {
  Interruptible interruptible;
  std::optional<std::invoke_result_t<F, const volatile std::sig_atomic_t*>> result;
  try {
    const py::gil_scoped_release released;
    result.emplace(f(interruptible.flag()));
  } catch (const Interrupted&) {
    interruptible.raise_if_interrupted();
    throw;
  }
  interruptible.raise_if_interrupted();
  return std::move(*result);
}

// An analysis with the model that it is about.
class Analyzed {
 public:
  Analyzed(std::shared_ptr<ModelHandle> model, const volatile std::sig_atomic_t* stop)
      : model_(std::move(model)), analysis_(model_->stated(), stop) {}

  // The expression, None where it is too long, and the value at the initial point, None where there is none.
  py::tuple bracket(const std::string& text) {
    const DiracBracket bracket = alone([&] { return analysis_.bracket(text); });
    const auto expression =
        bracket.expression.valid() ? py::object(py::str(to_string(bracket.expression))) : py::none();
    const auto value = bracket.value ? py::object(py::float_(static_cast<double>(*bracket.value))) : py::none();
    return py::make_tuple(expression, value);
  }

  std::string text(bool latex) {
    return alone([&] { return analysis_.text(latex); });
  }
  std::string json() {
    return alone([&] { return analysis_.json(); });
  }

 private:
  // One thread at a time, and others of Python go on.
  template <class F>
  std::invoke_result_t<F> alone(const F& f) {
    return interruptibly([&](const auto*) {
      const std::scoped_lock lock(mutex_);
      return f();
    });
  }

  std::mutex mutex_;
  std::shared_ptr<ModelHandle> model_;
  Analysis analysis_;
};

// (table, JSON).
using Report = std::pair<std::string, std::string>;

Report check(ModelHandle& handle) {
  const py::gil_scoped_release released;
  const Understanding found = understand(branch(handle.runnable()), words_of_python({}));
  return {found.table(), found.json()};
}

Report stability(ModelHandle& handle, const OptionTexts& options) {
  Model model = branch(handle.complete());
  RunWords words = words_of_python(options);
  const RunPlan plan = plan_run(words, model, model.notes);
  model.start = decimal<Quad>(plan.start);
  StabilityOptions chosen = stability_options(plan, words);
  return interruptibly([&](const auto* stop) -> Report {
    chosen.stop = stop;
    const StabilityReport report = words.blame("formulation", [&] { return analyze_stability(model, chosen); });
    return {table_of(report), json_of(report).text()};
  });
}

Report equilibrium(ModelHandle& handle, std::size_t modes, bool is_relative) {
  return interruptibly([&](const auto* stop) -> Report {
    const Model model = branch(handle.complete());
    const EquilibriumReport report =
        analyze_equilibrium(model, {.modes = modes, .is_relative = is_relative, .stop = stop});
    if (!report.failure.empty()) throw std::runtime_error(report.failure);
    return {table_of(report, model), json_of(report, model).text()};
  });
}

}  // namespace

void bind_analysis(py::module_& module) {
  py::class_<Analyzed>(module, "Analysis")
      .def(py::init([](std::shared_ptr<ModelHandle> model) {
        return interruptibly([&](const auto* stop) { return std::make_unique<Analyzed>(std::move(model), stop); });
      }))
      .def("bracket", &Analyzed::bracket)
      .def("text", &Analyzed::text)
      .def("json", &Analyzed::json);
  module.def("check", &check);
  module.def("stability", &stability);
  module.def("equilibrium", &equilibrium);
}
