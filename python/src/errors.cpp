#include <string>

#include "cotangent/base/interruption.hpp"
#include "cotangent/base/unknown_name.hpp"
#include "cotangent/model/source/source.hpp"
#include "cotangent/run/options/run_words.hpp"
#include "module.hpp"

namespace py = pybind11;
using namespace cotangent;

namespace {

// Classes live as long as the interpreter.
PyObject *model_error = nullptr, *option_error = nullptr;

// With the place of the mistake.
void raise(const ModelError& error) {
  const py::object raised = py::reinterpret_borrow<py::object>(model_error)(error.what());
  const auto place = [](std::size_t x) -> py::object { return x > 0 ? py::object(py::int_(x)) : py::none(); };
  raised.attr("file") = error.file();
  raised.attr("line") = place(error.line());
  raised.attr("column") = place(error.column());
  raised.attr("length") = place(error.length());
  raised.attr("message") = error.message();
  raised.attr("suggestion") = error.suggestion();
  PyErr_SetObject(model_error, raised.ptr());
}

}  // namespace

void bind_errors(py::module_& module) {
  const auto add = [&](const char* name, const char* doc) {
    const std::string path = std::string("cotangent.") + name;
    PyObject* type = PyErr_NewExceptionWithDoc(path.c_str(), doc, PyExc_ValueError, nullptr);
    module.add_object(name, py::reinterpret_steal<py::object>(type));
    return type;
  };
  model_error = add("ModelError",
                    "A model, or the text of an option, that is refused. str() shows the place; file, line, column, "
                    "length (None where there is no place), message and suggestion are attributes.");
  option_error = add("OptionError", "Options of a run that make no sense.");
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      std::rethrow_exception(thrown);
    } catch (const ModelError& error) {
      raise(error);
    } catch (const OptionError& error) {
      PyErr_SetString(option_error, error.what());
    } catch (const UnknownName& error) {
      PyErr_SetString(option_error, error.what());
    } catch (const Interrupted&) {
      PyErr_SetNone(PyExc_KeyboardInterrupt);
    }
  });
}
