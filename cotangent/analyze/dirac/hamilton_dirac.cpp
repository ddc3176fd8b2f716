#include "cotangent/analyze/dirac/hamilton_dirac.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <regex>
#include <sstream>
#include <string>
#include <unordered_set>

#include "cotangent/analyze/dirac/dirac.hpp"
#include "cotangent/derivatives/derivatives.hpp"
#include "cotangent/elements/refusal.hpp"
#include "cotangent/expr/algorithm.hpp"
#include "cotangent/manifold/regular_elements.hpp"
#include "cotangent/model/reader.hpp"

namespace cotangent {
namespace {

[[noreturn]] void refuse(const Model& model, const std::string& message, const std::string& advice) {
  throw refusal(model, model.energy_where, message, advice);
}

// As a string of TOML.
std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + '"';
}

std::string text_of(const RunValue& value) {
  if (const auto* truth = std::get_if<bool>(&value)) return *truth ? "true" : "false";
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return std::to_string(*integer);
  if (const auto* number = std::get_if<double>(&value)) return quoted(to_string(static_cast<Quad>(*number)));
  return quoted(std::get<std::string>(value));
}

// A model file, section by section.
class Writer {
 public:
  explicit Writer(Replacement renamed) : renamed_(std::move(renamed)) {}

  void section(std::string_view name) { text_ += fmt::format("\n[{}]\n", name); }
  void line(const std::string& key, const std::string& value) { text_ += fmt::format("{} = {}\n", quoted(key), value); }
  void line(const std::string& key, Expr e) {
    for (const Expr node : reachable(std::array{e})) used_.insert(node.id());
    line(key, quoted(to_text(substitute(e, renamed_))));
  }
  std::string name(Expr symbol) const { return to_string(substitute(symbol, renamed_)); }
  bool uses(Expr symbol) const {
    return used_.contains(symbol.id()) || picture_.find(to_string(symbol)) != picture_.npos;
  }

  /// [picture] of the model as it was written: states have the names of the coordinates and momenta that they are.
  void copy_picture(const Model& model) {
    if (!model.picture || !model.source) return;
    std::istringstream lines(model.source->text());
    static const std::regex kHeader(R"(\s*\[([\w.]+)\]\s*(#.*)?)");
    std::smatch found;
    bool is_picture = false;
    for (std::string line; std::getline(lines, line);) {
      if (std::regex_match(line, found, kHeader))
        is_picture = found[1].str().substr(0, found[1].str().find('.')) == "picture";
      if (is_picture) picture_ += line + '\n';
    }
    text_ += '\n' + picture_;
  }

  const std::string& text() const { return text_; }

 private:
  Replacement renamed_;
  std::unordered_set<NodeId> used_;
  std::string text_, picture_;
};

std::string as_name(std::string name) {
  std::erase(name, ']');
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == '[' || c == ','; }, '_');
  return name;
}

void declare_states(Writer& writer, const Model& model, const Canonical& canonical) {
  std::vector<std::string> states;
  const auto declare = [&](const std::string& name, const std::vector<std::int64_t>& shape) {
    for (const std::string& state : {name, "p_" + name})
      states.push_back(quoted(shape.empty() ? state : fmt::format("{}[{}]", state, fmt::join(shape, ","))));
  };
  for (const auto& c : model.coordinates) declare(c.name, c.shape);
  for (std::size_t k = canonical.written->coordinates().size(); k < canonical.names.size(); ++k)
    declare(as_name(canonical.names[k]), {});
  writer.line("states", fmt::format("[{}]", fmt::join(states, ", ")));
}

// Multipliers of families, lambda_rod[2], as scalars lambda_rod_2.
Replacement scalar_multipliers(const Canonical& canonical) {
  Graph& graph = canonical.written->graph();
  Replacement result;
  for (std::size_t k = canonical.written->coordinates().size(); k < canonical.names.size(); ++k) {
    const std::string name = as_name(canonical.names[k]);
    if (name == canonical.names[k]) continue;
    result[canonical.q[k].id()] = graph.new_symbol(name, SymbolKind::state);
    result[canonical.p[k].id()] = graph.new_symbol("p_" + name, SymbolKind::state);
  }
  return result;
}

bool is_regular(const Model& model) {
  try {
    std::vector<std::string> notes;
    static_cast<void>(regular_elements(model, notes));
    return true;
  } catch (const ModelError&) {
    return false;
  }
}

// Whether the constraints determine what [initial] leaves open.
bool are_determined(DiracAlgorithm& analysis, const std::vector<Expr>& open) {
  if (open.empty()) return true;
  ExprMatrix rows;
  for (const auto& chi : analysis.constraints()) rows.push_back(gradient(chi.value, open));
  return analysis.rank_on_surface(rows) == static_cast<int>(open.size());
}

}  // namespace

bool needs_dirac(const Model& model) {
  if (!model.primary_constraints.empty() || !model.gauge.empty()) return true;
  if (model.dynamics != Dynamics::lagrangian || model.functions) return false;
  constexpr std::int64_t kSmall = 100;
  if (model.dimension() > kSmall) return false;
  if (!model.incomplete && is_regular(model)) return false;
  try {
    const Canonical canonical = canonical_form(model);
    return canonical.hessian_rank && *canonical.hessian_rank < static_cast<int>(canonical.velocities);
  } catch (const ModelError&) {
    return false;  // whoever reads the model for a run says why it does not do
  }
}

Model hamilton_dirac_model(const Model& model, std::span<const RunKey> run) {
  if (!model.forces.empty() || model.dissipation.valid() || !model.states.empty())
    refuse(model, "[forces], dissipation and states cannot be integrated with constraints in phase space",
           "leave them out");
  DiracAlgorithm analysis(model);
  const std::string advice = "`analyze` shows how this comes about";
  if (!analysis.is_consistent()) refuse(model, "the equations of motion have no solution", advice);
  if (!analysis.undecided().empty()) refuse(model, analysis.undecided(), advice);
  if (analysis.free_multipliers() > 0)
    refuse(model,
           fmt::format("the motion is not determined: {} multipliers are free, and {} constraints are first class",
                       analysis.free_multipliers(), analysis.first_class()),
           "add conditions to [gauge] that fix them; " + advice);
  const auto point = analysis.initial_point();
  if (!point) refuse(model, "no point of the constraint surface was found near the initial data", advice);

  const Canonical& canonical = analysis.canonical();
  const std::vector<Expr> z = canonical.z();
  std::vector<Expr> open;
  for (const Expr x : z)
    if (!canonical.initial.contains(x.id())) open.push_back(x);
  if (model.incomplete && !are_determined(analysis, open)) throw ModelError(*model.incomplete);
  const Expr H = analysis.first_class_hamiltonian();
  Writer writer(scalar_multipliers(canonical));
  writer.line("title", quoted(model.title));
  writer.section("system");
  declare_states(writer, model, canonical);
  writer.section("equations");
  Replacement velocities;
  for (std::size_t k = 0; k < z.size(); ++k) {
    const Expr rate = canonical.algebra->simplified(analysis.poisson_bracket(z[k], H));
    writer.line(writer.name(z[k]), rate);
    if (k < canonical.written->coordinates().size()) velocities[canonical.written->coordinates()[k].v.id()] = rate;
  }
  writer.section("invariants");
  bool has_time = false;
  for (const auto& chi : analysis.constraints()) {
    writer.line(as_name(chi.name), chi.value);
    has_time = has_time || depends_on(chi.value, [&](Expr x) { return x == canonical.written->t(); });
  }
  has_time = has_time || depends_on(H, [&](Expr x) { return x == canonical.written->t(); });
  const auto is_taken = [&](const auto& chi) { return chi.name == "energy"; };
  const auto& constraints = analysis.constraints();
  if (!has_time && !canonical.H.is_constant() && std::none_of(constraints.begin(), constraints.end(), is_taken))
    writer.line("energy", canonical.H);
  writer.section("observables");
  for (const NamedValues& family : model.observables)
    for (const auto& [name, value] : canonical.written->all(family))
      writer.line(as_name(name), substitute(value, velocities));
  writer.section("initial");
  for (const Expr x : z) writer.line(writer.name(x), quoted(to_string(point->at(x.id()))));
  writer.copy_picture(model);
  writer.section("run");
  for (const auto& [key, value] : model.run) writer.line(key, text_of(value));
  writer.section("parameters");
  for (const auto& parameter : canonical.written->parameters())
    if (writer.uses(parameter.symbol)) writer.line(to_string(parameter.symbol), quoted(to_string(parameter.value)));
  Model result = read_model_text(writer.text(), model.name + ".toml", {}, run);
  result.notes.insert(result.notes.begin(), model.notes.begin(), model.notes.end());
  result.notes.push_back(fmt::format("these are the Hamilton-Dirac equations; the {} constraints are invariants",
                                     analysis.constraints().size()));
  std::vector<std::string> moved;
  for (const Expr x : analysis.moved_from_start(*point))
    moved.push_back(fmt::format("{} by {:.3g}", to_string(x),
                                static_cast<double>(point->at(x.id()) - canonical.initial.at(x.id()))));
  if (!moved.empty())
    result.notes.push_back(
        fmt::format("the initial data were moved to the constraint surface: {}", fmt::join(moved, ", ")));
  return result;
}

}  // namespace cotangent
