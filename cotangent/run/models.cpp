#include "cotangent/run/models.hpp"

#include <memory>
#include <stdexcept>
#include <utility>

#include "cotangent/analyze/dirac/hamilton_dirac.hpp"
#include "cotangent/manifold/regular_elements.hpp"
#include "cotangent/run/options/option_table.hpp"

namespace cotangent {
namespace {

Model with_shared_functions(Model model, std::shared_ptr<const BlackBox> functions) {
  if (model.shows_energy)
    throw std::invalid_argument(
        "black box: an observable or an invariant uses `hamiltonian`, which is no expression; watch `energy`");
  model.functions = std::move(functions);
  model.energy_where = {};
  for (Constraint& constraint : model.constraints) constraint.where = {};
  return model;
}

}  // namespace

Model runnable(Model model) {
  if (needs_dirac(model)) return hamilton_dirac_model(model, run_keys());
  if (model.incomplete) throw ModelError(*model.incomplete);
  return model;
}

Model load_model(const std::filesystem::path& file, const Overrides& set) {
  return runnable(read_model(file, set, run_keys(), {}, InitialCoverage::partial));
}

Model parse_model(std::string text, const Overrides& set) {
  return runnable(read_model_text(std::move(text), "model", set, run_keys(), {}, InitialCoverage::partial));
}

Model build_model(const ModelBuilder& builder, const Overrides& set) { return parse_model(builder.text(), set); }

// The builder states something of the right shape in the place of H and g.
Model build_model(ModelBuilder builder, BlackBox functions, const Overrides& set) {
  if (builder.has_mechanics())
    throw std::invalid_argument("black box: H and g are functions, and the builder states an energy or constraints");
  builder.hamiltonian(0);
  for (const std::string& name : functions.constraint_names) builder.constraint(name, builder.some_coordinate() == 0);
  if (functions.constraint_names.empty() && functions.m > 0) {
    const Loops each = functions.m > 1 ? Loops{Index("i", 1, functions.m)} : Loops{};
    builder.constraint("g", builder.some_coordinate() == 0, each);
  }
  return with_functions(build_model(builder, set), std::move(functions));
}

Model with_functions(Model model, BlackBox functions) {
  model = with_shared_functions(std::move(model), std::make_shared<const BlackBox>(std::move(functions)));
  static_cast<void>(regular_elements(model, model.notes));  // whatever does not fit is said now
  return model;
}

namespace {

Model read_again(const Model& model, const Overrides& set, const std::vector<InitialTable>& tables) {
  Model result = read_model_text(model.source->text(), model.source->file(), set, run_keys(), tables);
  result.shelf = model.shelf;
  return model.functions ? with_shared_functions(std::move(result), model.functions) : result;
}

}  // namespace

Model with_values(const Model& model, const Overrides& set) {
  Overrides all = model.set;
  all.insert(all.end(), set.begin(), set.end());
  return read_again(model, all, model.tables);
}

Model with_initial(const Model& model, std::vector<InitialTable> tables) {
  tables.insert(tables.begin(), model.tables.begin(), model.tables.end());
  return read_again(model, model.set, tables);
}

}  // namespace cotangent
