#include "cotangent/run/run.hpp"

#include <pybind11/stl.h>

#include <csignal>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "arrays.hpp"
#include "interrupt.hpp"
#include "model.hpp"
#include "module.hpp"
#include "options.hpp"

namespace py = pybind11;
using namespace cotangent;

namespace {

// What the program prints of a call, made when it is asked for: after all, most calls are asked for their numbers only.
struct Texts {
  bool is_made = false;
  std::string json, table;
};

// A run with everything up to its first step. Threads may share it, one after the other.
class PreparedRun {
 public:
  PreparedRun(const Model& model, RunWords words) : run_(model, std::move(words)) {}

  bool is_repeatable() const { return run_.is_repeatable(); }

  // The names of columns and all records, how it ended, and the texts.
  // @param watch is called with every record, the time first; where it returns true the run ends.
  py::tuple operator()(const py::object& watch) {
    Interruptible interruptible;
    Watch watcher(watch, interruptible.flag());
    SampleRows rows;
    const auto texts = std::make_shared<Texts>();
    std::string status;
    {
      const py::gil_scoped_release released;
      const std::scoped_lock lock(mutex_);
      if (const auto before = texts_.lock()) make(*before);
      texts_ = texts;
      run_.stop_if(watch.is_none() ? interruptible.flag() : watcher.flag());
      run_.on_sample(watch.is_none() ? nullptr : watcher.taker());
      rows = run_.rows();
      run_.on_sample(nullptr);
      status = describe(run_.summary().outcome);
    }
    watcher.raise_if_failed();
    interruptible.raise_if_interrupted();
    const std::size_t count = rows.count();
    return py::make_tuple(rows.names, as_matrix(std::move(rows.numbers), count, rows.names.size()), status, texts);
  }

  std::string json(Texts& texts) { return made(texts).json; }
  std::string table(Texts& texts) { return made(texts).table; }

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

  // Calls a function of Python for every record.
  class Watch {
   public:
    Watch(const py::object& function, const volatile std::sig_atomic_t* interrupted)
        : function_(function), interrupted_(interrupted) {}

    const volatile std::sig_atomic_t* flag() const { return &stop_; }
    std::function<void(const Sample&)> taker() {
      return [this](const Sample& sample) { take(sample); };
    }
    void raise_if_failed() {
      if (error_) throw py::error_already_set(std::move(*error_));
    }

   private:
    void take(const Sample& sample) {
      if (stop_ != 0) return;
      const py::gil_scoped_acquire acquired;
      try {
        if (py::cast<bool>(function_(sample.t, as_array(std::vector(sample.values))))) stop_ = 1;
      } catch (py::error_already_set& error) {
        error_.emplace(std::move(error));
        stop_ = 1;
      }
      if (interrupted_ && *interrupted_ != 0) stop_ = 1;
    }

    const py::object& function_;
    const volatile std::sig_atomic_t* interrupted_;
    volatile std::sig_atomic_t stop_ = 0;
    std::optional<py::error_already_set> error_;
  };

  // Of the last call: the run knows no others.
  void make(Texts& texts) const {
    if (texts.is_made) return;
    texts = {true, run_.json(), run_.table()};
  }
  const Texts& made(Texts& texts) {
    const py::gil_scoped_release released;
    const std::scoped_lock lock(mutex_);
    make(texts);
    return texts;
  }

  std::mutex mutex_;
  Run run_;
  std::weak_ptr<Texts> texts_;  // of the last call
};

std::unique_ptr<PreparedRun> prepare(ModelHandle& model, const OptionTexts& options) {
  const Model& runnable = model.runnable();
  RunWords words = words_of_python(options);
  const py::gil_scoped_release released;
  return std::make_unique<PreparedRun>(runnable, std::move(words));
}

}  // namespace

void bind_run(py::module_& module) {
  py::class_<Texts, std::shared_ptr<Texts>>(module, "Texts");
  py::class_<PreparedRun>(module, "Run")
      .def(py::init(&prepare))
      .def_property_readonly("is_repeatable", &PreparedRun::is_repeatable)
      .def("__call__", &PreparedRun::operator(), py::arg("watch") = py::none())
      .def("json", &PreparedRun::json)
      .def("table", &PreparedRun::table)
      .def("between", &PreparedRun::between)
      .def("page", &PreparedRun::page);
}
