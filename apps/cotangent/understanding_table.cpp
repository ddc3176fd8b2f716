#include <fmt/format.h>

#include <iterator>

#include "understanding.hpp"

using namespace cotangent;

namespace {

using Words = std::vector<std::string>;

std::string with_shape(const std::string& name, const std::vector<std::int64_t>& shape) {
  return shape.empty() ? name : fmt::format("{}[{}]", name, fmt::join(shape, ","));
}

template <class Variables>
Words with_shapes(const Variables& variables) {
  Words words;
  for (const auto& variable : variables) words.push_back(with_shape(variable.name, variable.shape));
  return words;
}

// "rod (6), anchor": how many numbers each stands for.
Words with_counts(const std::vector<NamedRows>& all) {
  Words words;
  for (const auto& rows : all)
    words.push_back(!rows.is_indexed() ? rows.name : fmt::format("{} ({})", rows.name, rows.count));
  return words;
}

std::string kind(const Understanding& u) {
  const bool is_lagrangian = u.model.dynamics == Dynamics::lagrangian;
  std::string text = is_lagrangian ? "Lagrangian" : "Hamiltonian";
  text += u.separable ? ", separable: H = T(p) + V(q)" : ", not separable";
  return text;
}

std::string initial_data(const Understanding& u) {
  const bool moved = u.position_change > 0 || u.momentum_change > 0;
  return fmt::format("max |g| = {:.3g}, max |G H_p| = {:.3g}{}", u.position, u.momentum,
                     moved ? fmt::format("; projection moves them by max |dq| = {:.3g}, max |dp| = {:.3g}",
                                         u.position_change, u.momentum_change)
                           : std::string(": consistent"));
}

}  // namespace

std::string understanding_table(const Understanding& u) {
  const Model& model = u.model;
  const Elements& elements = *u.elements;
  std::string text = fmt::format("{}\n\n", model.title.empty() ? model.name : model.title);
  const auto row = [&](std::string_view name, std::string_view value) {
    text += fmt::format("  {:<20}{}\n", name, value);
  };
  const auto list = [&](std::string_view name, const Words& words) {
    if (!words.empty()) row(name, fmt::format("{}", fmt::join(words, ", ")));
  };

  row("stated as", kind(u));
  if (u.alternative)
    row("alternative H", fmt::format("the same on the constraint manifold, but for {:.1g}", *u.alternative));
  Words numbers, tables;
  for (const auto& parameter : model.parameters)
    parameter.shape.empty()
        ? numbers.push_back(fmt::format("{} = {:g}", parameter.name, static_cast<double>(parameter.value)))
        : tables.push_back(with_shape(parameter.name, parameter.shape));
  row("parameters", numbers.empty() ? "none" : fmt::format("{}", fmt::join(numbers, ", ")));
  list("tables", tables);
  row("coordinates", fmt::format("{} (n = {})", fmt::join(with_shapes(model.coordinates), ", "), elements.n));
  list("states", with_shapes(model.states));
  row("constraints",
      elements.m == 0 ? "none" : fmt::format("{} (m = {})", fmt::join(with_counts(elements.rows), ", "), elements.m));
  for (std::size_t k = 0; k < u.redundant.size(); ++k) row(k == 0 ? "redundant" : "", describe(u.redundant[k]));
  if (model.minimal)
    row("minimal coordinates",
        fmt::format("{} ({})", fmt::join(with_shapes(model.minimal->coordinates), ", "), model.minimal->dimension()));
  row("degrees of freedom", fmt::format("{}", degrees_of_freedom(u)));
  if (!u.forced.empty()) row("forces", fmt::format("on {}", fmt::join(u.forced, ", ")));
  if (model.dissipation.valid()) row("dissipation", "by Rayleigh's function");
  row("time", u.is_driven ? "enters explicitly" : "does not enter");
  list("observables", with_counts(elements.observable_rows));
  list("invariants", with_counts(elements.invariant_rows));

  list("exact solution", exact_names(model));

  const char* title = "conserved";
  const auto conserved = [&](const std::string& what) {
    row(title, what);
    title = "";
  };
  if (u.energy_is_kept) conserved("energy");
  for (const auto& momentum : u.symmetries.momenta)
    conserved(fmt::format("{}: {}", momentum.name, momentum.expression));
  if (!u.symmetries.momenta.empty()) conserved("(a run watches momenta with --monitor symmetries)");
  if (!u.symmetries.were_sought) {
    conserved("(momenta were not sought: the system is too large, or no points near its start were found)");
  } else if (!u.energy_is_kept && u.symmetries.momenta.empty()) {
    conserved("neither energy nor momenta");
  }
  if (elements.m > 0) row("initial data", initial_data(u));
  if (!u.notes.empty()) text += "\n";
  for (const auto& note : u.notes) text += fmt::format("  note: {}\n", note);
  return text;
}
