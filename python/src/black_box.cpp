// H and g as functions of Python, or of the machine: what numba.cfunc and ctypes make.

#include "cotangent/model/black_box.hpp"

#include <fmt/format.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <array>

#include "arrays.hpp"
#include "cotangent/run/models.hpp"
#include "cotangent/system/black_box/black_box_check.hpp"
#include "model.hpp"
#include "module.hpp"

namespace py = pybind11;
using namespace cotangent;

namespace {

// A function of Python, which may be released by a thread that does not hold the interpreter's lock.
class Callable {
 public:
  Callable(std::string name, py::object function)
      : name_(std::move(name)), function_(new py::object(std::move(function)), [](py::object* object) {
          const py::gil_scoped_acquire lock;
          delete object;
        }) {}

  /// The number that it returns.
  template <class... Arguments>
  double number(const Arguments&... arguments) const {
    const py::gil_scoped_acquire lock;
    return (*function_)(as_python(arguments)...).template cast<double>();
  }

  /// The numbers that it returns, of which there must be so many. @throws std::invalid_argument
  template <class... Arguments>
  void numbers(double* out, std::size_t count, const Arguments&... arguments) const {
    const py::gil_scoped_acquire lock;
    const Numbers result((*function_)(as_python(arguments)...));
    const std::span<const double> values = as_span(result);
    if (values.size() != count)
      throw std::invalid_argument(
          fmt::format("{} has returned {} numbers in place of {}", name_, values.size(), count));
    std::ranges::copy(values, out);
  }

 private:
  static double as_python(double x) { return x; }
  static Numbers as_python(std::span<const double> x) { return Numbers(static_cast<py::ssize_t>(x.size()), x.data()); }

  std::string name_;
  std::shared_ptr<py::object> function_;
};

// A function of the machine at an address, with the arguments of a member of BlackBox. Its owner is kept.
template <class Function>
struct Machine;
template <class Result, class... Arguments>
struct Machine<std::function<Result(Arguments...)>> {
  static std::function<Result(Arguments...)> at(std::uintptr_t address) {
    return reinterpret_cast<Result (*)(Arguments...)>(address);
  }
};

// The functions of a dictionary: callables, or integers that are addresses.
class Functions {
 public:
  Functions(const py::dict& given, BlackBox& box) : given_(given), box_(box) {}

  void read() {
    const auto n = static_cast<std::size_t>(box_.n), m = static_cast<std::size_t>(box_.m);
    const std::size_t G_count = box_.G_pattern.empty() ? n * m : box_.G_pattern.size();
    const auto vector = [](const double* x, std::size_t size) { return std::span<const double>(x, size); };
    const auto scalar = [=](Callable f) {
      return [=](const double* q, const double* p, double t) { return f.number(vector(q, n), vector(p, n), t); };
    };
    const auto gradient = [=](Callable f) {
      return [=](const double* q, const double* p, double t, double* out) {
        f.numbers(out, n, vector(q, n), vector(p, n), t);
      };
    };
    const auto along = [=](Callable f) {
      return [=](const double* q, const double* p, double t, const double* a, const double* b, double* out) {
        f.numbers(out, n, vector(q, n), vector(p, n), t, vector(a, n), vector(b, n));
      };
    };
    const auto rows = [=](std::size_t count) {
      return [=](Callable f) {
        return [=](const double* q, double t, double* out) { f.numbers(out, count, vector(q, n), t); };
      };
    };
    set("H", box_.H, scalar);
    set("H_t", box_.H_t, scalar);
    set("H_q", box_.H_q, gradient);
    set("H_p", box_.H_p, gradient);
    set("H_pt", box_.H_pt, gradient);
    set("g", box_.g, rows(m));
    set("g_t", box_.g_t, rows(m));
    set("G", box_.G, rows(G_count));
    set("H_q_along", box_.H_q_along, along);
    set("H_p_along", box_.H_p_along, along);
    set("H_pp_times", box_.H_pp_times, [=](Callable f) {
      return [=](const double* q, const double* p, double t, const double* a, double* out) {
        f.numbers(out, n, vector(q, n), vector(p, n), t, vector(a, n));
      };
    });
    set("g_second", box_.g_second, [=](Callable f) {
      return [=](const double* q, double t, const double* a, const double* b, double* out) {
        f.numbers(out, m, vector(q, n), t, vector(a, n), vector(b, n));
      };
    });
    set("g_t_along", box_.g_t_along, [=](Callable f) {
      return [=](const double* q, double t, const double* a, double* out) {
        f.numbers(out, m, vector(q, n), t, vector(a, n));
      };
    });
  }

 private:
  template <class Function, class Wrap>
  void set(const char* name, Function& function, const Wrap& wrap) {
    if (!given_.contains(name)) return;
    const py::object given = given_[name];
    if (py::isinstance<py::int_>(given)) {
      function = Machine<Function>::at(given.cast<std::uintptr_t>());
    } else {
      function = wrap(Callable(name, given));
    }
  }

  const py::dict& given_;
  BlackBox& box_;
};

BlackBox make_box(std::int64_t n, std::int64_t m, const py::dict& functions,
                  const std::vector<BlackBox::Place>& G_pattern, bool is_separable, bool is_mass_diagonal,
                  const std::vector<std::string>& constraint_names, const std::array<double, 3>& scales) {
  BlackBox box;
  box.n = n;
  box.m = m;
  box.G_pattern = G_pattern;
  box.is_separable = is_separable;
  if (is_mass_diagonal) box.H_pp_pattern = BlackBox::MassPattern::diagonal;
  box.constraint_names = constraint_names;
  std::tie(box.q_scale, box.p_scale, box.t_scale) = std::tuple(scales[0], scales[1], scales[2]);
  Functions(functions, box).read();
  return box;
}

}  // namespace

void bind_black_box(py::module_& module) {
  py::class_<BlackBox>(module, "BlackBox")
      .def(py::init(&make_box))
      .def("check",
           [](const BlackBox& box, const std::vector<double>& q, const std::vector<double>& p, double t) {
             const BlackBoxCheck report = check(box, q, p, t);
             return py::make_tuple(report.is_consistent(), report.text());
           })
      .def("model", [](const BlackBox& box, const std::string& text, const std::vector<std::string>& set) {
        return std::make_shared<ModelHandle>(with_functions(parse_model(text, set), box));
      });
}
