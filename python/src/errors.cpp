#include <string>

#include "cotangent/base/interruption.hpp"
#include "cotangent/base/unknown_name.hpp"
#include "cotangent/model/source/source.hpp"
#include "cotangent/run/options/run_words.hpp"
#include "module.hpp"
#include "options.hpp"

namespace py = pybind11;
using namespace cotangent;

namespace {

// Classes live as long as the interpreter.
PyObject *model_error = nullptr, *option_error = nullptr;

// With what was wrong, and the place of it in a text.
void raise(PyObject* type, const std::string& text, const std::string& message, const std::string& suggestion,
           const std::string& file = {}, std::size_t line = 0, std::size_t column = 0, std::size_t length = 0) {
  const py::object raised = py::reinterpret_borrow<py::object>(type)(text);
  const auto place = [](std::size_t x) -> py::object { return x > 0 ? py::object(py::int_(x)) : py::none(); };
  raised.attr("file") = file;
  raised.attr("line") = place(line);
  raised.attr("column") = place(column);
  raised.attr("length") = place(length);
  raised.attr("message") = message;
  raised.attr("suggestion") = suggestion;
  PyErr_SetObject(type, raised.ptr());
}

}  // namespace

void bind_errors(py::module_& module) {
  const auto add = [&](const char* name, const char* doc) {
    const std::string path = std::string("cotangent.") + name;
    PyObject* type = PyErr_NewExceptionWithDoc(path.c_str(), doc, PyExc_ValueError, nullptr);
    module.add_object(name, py::reinterpret_steal<py::object>(type));
    return type;
  };
  model_error =
      add("ModelError",
          "A model that is refused. str() shows the place; file, line, column, length (None where there is no "
          "place), message and suggestion are attributes.");
  option_error = add("OptionError",
                     "Options of a run that make no sense. The attributes are those of ModelError; file is the option "
                     "whose text is refused, or empty.");
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      std::rethrow_exception(thrown);
    } catch (const ModelError& error) {
      // The text of an option has the name of the option.
      raise(is_option_of_python(error.file()) ? option_error : model_error, error.what(), error.message(),
            error.suggestion(), error.file(), error.line(), error.column(), error.length());
    } catch (const OptionError& error) {
      raise(option_error, error.what(), error.what(), {});
    } catch (const UnknownName& error) {
      raise(option_error, error.what(), error.message(), error.suggestion());
    } catch (const Interrupted&) {
      PyErr_SetNone(PyExc_KeyboardInterrupt);
    }
  });
}
