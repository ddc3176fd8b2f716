#include "tests/fuzz/path.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <stdexcept>

#include "cotangent/elements/extract.hpp"
#include "cotangent/manifold/initial_data.hpp"
#include "cotangent/manifold/regular_elements.hpp"
#include "cotangent/model/reader.hpp"

namespace cotangent::fuzz {
namespace {

// Larger models are read only: numbers say nothing more about them, and take long.
constexpr std::int64_t kMaxUnknowns = 120;
constexpr std::int64_t kMaxInstances = 2000;

Overrides overrides_of(const std::string& text) {
  const std::string mark = "#--set ";
  Overrides overrides;
  for (auto at = text.find(mark); at != text.npos; at = text.find(mark, at)) {
    at += mark.size();
    overrides.push_back(text.substr(at, text.find('\n', at) - at));
  }
  return overrides;
}

std::int64_t entries_of(const Model& model) {
  std::int64_t entries = model.dimension();
  for (const State& state : model.states) entries += state.size();
  return entries;
}

std::int64_t instances_of(const Elements& elements) {
  std::int64_t instances = 0;
  for (const auto* families : {&elements.groups, &elements.energy, &elements.constraints, &elements.dissipation,
                               &elements.forces, &elements.rates, &elements.observables, &elements.invariants})
    for (const Family& family : *families) instances += family.count;
  return instances;
}

// Everything a run asks of a system at its first point.
void evaluate(System<double>& system, Manifold<double>& manifold, const PhasePoint<double>& z) {
  const auto size = [](std::int64_t n) { return static_cast<std::size_t>(n); };
  const std::int64_t largest = std::max({system.n(), system.m(), system.elements().states, system.observable_count(),
                                         system.invariant_count(), std::int64_t{1}});
  std::vector<double> result(size(largest)), v(size(system.n())), F(size(system.n())), lambda(size(system.m()));
  const At<double> at = system.at(z).with(v, lambda.data());
  static_cast<void>(at.H());
  static_cast<void>(at.H_t());
  at.H_q(result);
  at.H_p(v);
  double power = 0;
  if (system.m() > 0) static_cast<void>(manifold.multipliers(z, v.data(), lambda.data(), F.data(), power));

  at.g(result);
  at.G_times(v, result);
  at.g_rate(v, result);
  at.D_v(result);
  at.force(result);
  at.rate(result);
  at.observables(result);
  at.invariants(result);
}

}  // namespace

Reached follow_path(const std::string& text) {
  Model model;
  try {
    model = read_model_text(text, "fuzz.toml", overrides_of(text));
  } catch (const ModelError&) {
    return Reached::text;
  }
  if (entries_of(model) > kMaxUnknowns) return Reached::model;

  std::shared_ptr<const Elements> elements;
  try {
    elements = std::make_shared<const Elements>(extract_elements(model));
    if (elements->m > kMaxUnknowns || instances_of(*elements) > kMaxInstances) return Reached::model;
    std::vector<std::string> notes;
    if (model.dynamics == Dynamics::lagrangian) elements = regular_elements(model, notes);
  } catch (const std::invalid_argument&) {
    return Reached::model;
  }

  System<double> system(elements, Backend::interpreter);
  Manifold<double> manifold(system);
  try {
    const auto initial = make_initial_data(model, manifold);
    evaluate(system, manifold, initial.z);
  } catch (const std::invalid_argument&) {
    return Reached::elements;
  }
  return Reached::numbers;
}

namespace {

std::string contents(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

}  // namespace

std::vector<std::string> seeds() {
  namespace fs = std::filesystem;
  const fs::path root = COTANGENT_SOURCE_DIR;
  std::vector<fs::path> files;
  for (const char* folder : {"tests/fuzz/corpus", "models"})
    for (const auto& entry : fs::directory_iterator(root / folder))
      if (entry.path().extension() == ".toml") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::vector<std::string> texts;
  for (const auto& file : files) texts.push_back(contents(file));

  const std::string open = "```toml\n", close = "```", manual = contents(root / "docs/model-files.md");
  for (auto at = manual.find(open); at != manual.npos; at = manual.find(open, at)) {
    at += open.size();
    texts.push_back(manual.substr(at, manual.find(close, at) - at));
  }
  return texts;
}

}  // namespace cotangent::fuzz
