#include "initial_data.hpp"

#include <fmt/format.h>

#include <memory>
#include <stdexcept>
#include <utility>

#include "checkpoint_file.hpp"
#include "cotangent/base/point.hpp"
#include "cotangent/base/unknown_name.hpp"
#include "cotangent/model/source/source.hpp"
#include "cotangent/output/record/record_file.hpp"
#include "cotangent/run/initial_files.hpp"
#include "cotangent/run/models.hpp"

using namespace cotangent;

namespace {

// The point of a checkpoint. Numbers of all precisions are written alike.
InitialFrame initial_from_checkpoint(const Model& model, const std::string& file) {
  Archive archive = read_checkpoint(file);
  RememberedRun run;
  archive("asked", run);
  const std::vector<std::string> expected = variable_names(model);
  if (run.variables != expected)
    throw std::runtime_error(fmt::format("{} is a checkpoint of a system with {}, and the model has {}", file,
                                         fmt::join(run.variables, ", "), fmt::join(expected, ", ")));
  Point<Quad> z;
  archive.skip_to("point");
  archive("point", z);
  return {initial_from_point(model, z->q, z->p, z->s), static_cast<double>(z->t)};
}

// NAME=FILE.
std::pair<std::string, std::string> parts_of(const std::string& text) {
  const auto sign = text.find('=');
  if (sign == text.npos || sign == 0 || sign + 1 == text.size())
    throw ModelError({std::make_shared<const SourceText>("--initial-array", text), {0, text.size()}},
                     "expected NAME=FILE", "for example r=start.csv");
  return {text.substr(0, sign), text.substr(sign + 1)};
}

// Refusals of what f reads point at the text of the option.
template <class F>
auto blame(const std::string& option, const std::string& text, const F& f) {
  const auto refuse = [&](const std::string& message, const std::string& suggestion = {}) {
    throw ModelError({std::make_shared<const SourceText>(option, text), {0, text.size()}}, message, suggestion);
  };
  try {
    return f();
  } catch (const UnknownName& error) {
    refuse(error.message(), error.suggestion());
  } catch (const std::runtime_error& error) {
    refuse(error.what());
  }
  throw std::logic_error("refuse throws");
}

}  // namespace

std::optional<double> set_initial_data(const RunRequest& request, Model& model) {
  Tables tables;
  std::optional<double> time;
  if (const auto& file = request.initial_from) {
    InitialFrame frame = blame("--initial-from", *file, [&] {
      return is_checkpoint(*file) ? initial_from_checkpoint(model, *file) : initial_from_record(model, *file);
    });
    tables = std::move(frame.tables);
    time = frame.time;
  }
  for (const std::string& text : request.initial_arrays) {
    const auto [name, file] = parts_of(text);
    tables.push_back(blame("--initial-array", text, [&] { return initial_array(model, name, file); }));
  }
  if (!tables.empty()) model = with_initial(model, std::move(tables));
  return time;
}

std::vector<std::string> initial_files(const RunRequest& request) {
  std::vector<std::string> files;
  if (request.initial_from) files.push_back(*request.initial_from);
  for (const std::string& text : request.initial_arrays) files.push_back(parts_of(text).second);
  return files;
}
