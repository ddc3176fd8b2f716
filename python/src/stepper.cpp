#include <pybind11/stl.h>

#include <mutex>
#include <stdexcept>

#include "arrays.hpp"
#include "cotangent/run/run.hpp"
#include "interrupt.hpp"
#include "model.hpp"
#include "module.hpp"
#include "options.hpp"

namespace py = pybind11;
using namespace cotangent;

namespace {

// Steps of one length, one by one.
class Stepper {
 public:
  Stepper(ModelHandle& model, const OptionTexts& options)
      : run_(model.runnable(), words_of_python(options)), h_(length(run_.plan())) {}

  // A single step is not interrupted.
  void step(std::int64_t count) {
    if (count == 1) {
      advance(1, nullptr);
      return;
    }
    if (count < 0) throw std::invalid_argument("the number of steps is negative; a negative step goes backwards");
    Interruptible interruptible;
    advance(count, interruptible.flag());
    interruptible.raise_if_interrupted();
  }

  RunPoint point() {
    const auto lock = alone();
    return run_.point();
  }
  double column(const std::string& name) {
    const auto lock = alone();
    return run_.now()[name];
  }
  const RunPlan& plan() const { return run_.plan(); }
  double h() const { return h_; }
  void set_h(double h) { h_ = h; }

 private:
  static double length(const RunPlan& plan) {
    if (plan.is_adaptive()) throw OptionError("a stepper makes steps of one length: give it a step, and no tolerance");
    return *plan.step;
  }

  // One thread at a time. Others wait without the lock of Python, which functions of the model may need.
  std::unique_lock<std::mutex> alone() {
    const py::gil_scoped_release released;
    return std::unique_lock(mutex_);
  }

  void advance(std::int64_t count, const volatile std::sig_atomic_t* stop) {
    const auto lock = alone();
    bool is_made = true;
    {
      const py::gil_scoped_release released;
      for (; count > 0 && is_made && !(stop && *stop != 0); --count) is_made = run_.step(h_);
    }
    if (!is_made) throw std::runtime_error("the step could not be made; the point is the one before it");
  }

  std::mutex mutex_;
  Run run_;
  double h_;
};

}  // namespace

void bind_stepper(py::module_& module) {
  py::class_<Stepper>(module, "Stepper", R"(Steps of a method, one by one.

>>> import cotangent as ct
>>> s = ct.Model("pendulum").stepper("rattle", step=0.01)
>>> s.step(1000)
>>> float(s.q @ s.q).__round__(12)
1.0
)")
      .def(py::init<ModelHandle&, const OptionTexts&>())
      .def("step", &Stepper::step, py::arg("count") = 1,
           "Makes so many steps. A step that cannot be made raises RuntimeError.")
      .def_property("h", &Stepper::h, &Stepper::set_h, "The length of the next steps.")
      .def_property_readonly(
          "t", [](Stepper& s) { return s.point().t; }, "The time that was reached.")
      .def_property_readonly(
          "q", [](Stepper& s) { return as_array(s.point().q); }, "Coordinates.")
      .def_property_readonly(
          "p", [](Stepper& s) { return as_array(s.point().p); }, "Momenta.")
      .def_property_readonly(
          "v", [](Stepper& s) { return as_array(s.point().v); }, "Velocities, H_p.")
      .def_property_readonly(
          "s", [](Stepper& s) { return as_array(s.point().s); }, "States.")
      .def_property_readonly(
          "multipliers", [](Stepper& s) { return as_array(s.point().multipliers); },
          "Multipliers, one for each constraint.")
      .def_property_readonly("method", [](const Stepper& s) { return s.plan().method; })
      .def("__getitem__", &Stepper::column, "A column of a record: \"x\", \"p_x\", \"energy\".");
}
