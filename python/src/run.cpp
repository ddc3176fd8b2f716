#include "cotangent/run/run.hpp"

#include <pybind11/stl.h>

#include <mutex>

#include "arrays.hpp"
#include "interrupt.hpp"
#include "model.hpp"
#include "module.hpp"
#include "options.hpp"

namespace py = pybind11;
using namespace cotangent;

namespace {

// A run with everything up to its first step. Threads may share it, one after the other.
class PreparedRun {
 public:
  PreparedRun(const Model& model, RunWords words) : run_(model, std::move(words)) {}

  bool is_repeatable() const { return run_.is_repeatable(); }

  // The names of columns and all records, the summary and the table as the program prints them.
  py::tuple operator()() {
    Interruptible interruptible;
    SampleRows rows;
    std::string json, table;
    {
      const py::gil_scoped_release released;
      const std::scoped_lock lock(mutex_);
      run_.stop_if(interruptible.flag());
      rows = run_.rows();
      json = run_.json();
      table = run_.table();
    }
    interruptible.raise_if_interrupted();
    const std::size_t count = rows.count();
    return py::make_tuple(rows.names, as_matrix(std::move(rows.numbers), count, rows.names.size()), json, table);
  }

  py::array between(const std::vector<std::string>& names, const Numbers& records, const Numbers& times) {
    std::vector<double> points;
    const std::span<const double> t = as_span(times);
    const SampleRows rows = rows_of(names, records);
    {
      const py::gil_scoped_release released;
      const std::scoped_lock lock(mutex_);
      points = run_.between(rows, t);
    }
    const std::size_t columns = t.empty() ? 0 : points.size() / t.size();
    return as_matrix(std::move(points), t.size(), columns);
  }

  std::string page(const std::vector<std::string>& names, const Numbers& records) {
    const SampleRows rows = rows_of(names, records);
    const py::gil_scoped_release released;
    const std::scoped_lock lock(mutex_);
    return run_.page(rows);
  }

 private:
  static SampleRows rows_of(const std::vector<std::string>& names, const Numbers& records) {
    const std::span<const double> numbers = as_span(records);
    return {names, {numbers.begin(), numbers.end()}};
  }

  std::mutex mutex_;
  Run run_;
};

std::unique_ptr<PreparedRun> prepare(ModelHandle& model, const OptionTexts& options) {
  const Model& runnable = model.runnable();
  RunWords words = words_of_python(options);
  const py::gil_scoped_release released;
  return std::make_unique<PreparedRun>(runnable, std::move(words));
}

}  // namespace

void bind_run(py::module_& module) {
  py::class_<PreparedRun>(module, "Run")
      .def(py::init(&prepare))
      .def_property_readonly("is_repeatable", &PreparedRun::is_repeatable)
      .def("__call__", &PreparedRun::operator())
      .def("between", &PreparedRun::between)
      .def("page", &PreparedRun::page);
}
