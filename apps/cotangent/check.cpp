#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "commands.hpp"
#include "cotangent/elements/elements.hpp"
#include "cotangent/expr/algorithm.hpp"
#include "cotangent/manifold/initial_data.hpp"
#include "cotangent/model/reader.hpp"
#include "cotangent/output/json_writer.hpp"
#include "errors.hpp"
#include "models_folder.hpp"
#include "run_choices.hpp"

using namespace cotangent;

namespace {

constexpr const char* kExamples = R"(Examples:
  cotangent check models/pendulum.toml
  cotangent check chain --set N=1000
)";

struct CheckOptions {
  RunOptions run;  // the model and what is set; the rest to see that [run] makes sense
  bool json = false;
};

// What was understood of a model.
struct Understanding {
  const Model& model;
  const Elements& elements;
  bool separable;
  InitialData<double> initial;
  double position, momentum;  // residuals of the initial data as given
};

std::string with_shape(const Coordinate& c) {
  return c.shape.empty() ? c.name : fmt::format("{}[{}]", c.name, fmt::join(c.shape, ","));
}

void print_table(const Understanding& u) {
  const auto row = [](std::string_view name, std::string_view value) { fmt::print("  {:<20}{}\n", name, value); };
  fmt::print("{}\n\n", u.model.title.empty() ? u.model.name : u.model.title);
  std::vector<std::string> names;
  for (const auto& parameter : u.model.parameters)
    names.push_back(fmt::format("{} = {:g}", parameter.name, static_cast<double>(parameter.value)));
  row("parameters", names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", ")));
  names.clear();
  for (const auto& c : u.model.coordinates) names.push_back(with_shape(c));
  row("coordinates", fmt::format("{} (n = {})", fmt::join(names, ", "), u.elements.n));
  names.clear();
  for (const auto& rows : u.elements.rows)
    names.push_back(rows.is_family ? fmt::format("{} ({})", rows.name, rows.count) : rows.name);
  row("constraints", names.empty() ? "none" : fmt::format("{} (m = {})", fmt::join(names, ", "), u.elements.m));
  row("degrees of freedom", fmt::format("{}", u.elements.n - u.elements.m));
  row("hamiltonian", u.separable ? "separable, H = T(p) + V(q)" : "not separable");
  if (u.elements.m > 0) {
    const bool moved = u.initial.position_change > 0 || u.initial.momentum_change > 0;
    row("initial data",
        fmt::format("max |g| = {:.3g}, max |G H_p| = {:.3g}{}", u.position, u.momentum,
                    moved ? fmt::format("; projection moves them by max |dq| = {:.3g}, max |dp| = {:.3g}",
                                        u.initial.position_change, u.initial.momentum_change)
                          : std::string(": consistent")));
  }
  if (!u.model.notes.empty()) fmt::print("\n");
  for (const auto& note : u.model.notes) fmt::print("  note: {}\n", note);
}

void print_json(const Understanding& u) {
  JsonWriter json;
  json.begin_object();
  json.key("model").value(u.model.name);
  json.key("title").value(u.model.title);
  json.key("parameters").begin_object();
  for (const auto& parameter : u.model.parameters) json.key(parameter.name).value(parameter.value);
  json.end_object();
  json.key("coordinates").begin_object();
  for (const auto& c : u.model.coordinates) {
    json.key(c.name).begin_list();
    for (const std::int64_t extent : c.shape) json.value(extent);
    json.end_list();
  }
  json.end_object();
  json.key("dimension").value(u.elements.n);
  json.key("constraints").begin_object();
  for (const auto& rows : u.elements.rows) json.key(rows.name).value(rows.count);
  json.end_object();
  json.key("constraint_count").value(u.elements.m);
  json.key("degrees_of_freedom").value(u.elements.n - u.elements.m);
  json.key("separable").value(u.separable);
  json.key("initial").begin_object();
  json.key("position").value(u.position);
  json.key("momentum").value(u.momentum);
  json.key("position_change").value(u.initial.position_change);
  json.key("momentum_change").value(u.initial.momentum_change);
  json.end_object();
  json.key("notes").begin_long_list();
  for (const auto& note : u.model.notes) json.value(note);
  json.end_list();
  json.end_object();
  fmt::print("{}\n", json.text());
}

int check(CheckOptions options) {
  const Model model = read_model(find_model(options.run.model), options.run.set);
  complete_run_options(options.run, model);
  // A model may leave the step and the end to the command line.
  if (options.run.step && options.run.end) static_cast<void>(choose(options.run));
  const auto elements = std::make_shared<const Elements>(extract_elements(model));
  System<double> system(elements, Backend::interpreter);
  Manifold<double> manifold(system);
  const auto given = make_initial_data(model, manifold, InitialPolicy::as_given);
  const Understanding understanding{.model = model,
                                    .elements = *elements,
                                    .separable = system.is_separable(),
                                    .initial = make_initial_data(model, manifold, InitialPolicy::project),
                                    .position = manifold.position_residual(given.z.q.data()).value,
                                    .momentum = manifold.momentum_residual(given.z.q.data(), given.z.p.data()).value};
  options.json ? print_json(understanding) : print_table(understanding);
  return kDone;
}

}  // namespace

Command add_check(CLI::App& app) {
  CLI::App* command = app.add_subcommand("check", "read and validate a model, and say what was understood");
  command->footer(kExamples);
  auto options = std::make_shared<CheckOptions>();
  command->add_option("MODEL", options->run.model, "a model file, or the name of one in `cotangent list models`")
      ->required();
  command->add_option("--set", options->run.set, "override a parameter or an initial value; may be repeated")
      ->type_name("NAME=VALUE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command->add_flag("--json", options->json, "print JSON, and nothing else, on standard output");
  return [options] { return check(*options); };
}
