#include "cotangent/report/page_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "cotangent/base/check.hpp"
#include "cotangent/base/instantiate.hpp"
#include "cotangent/expr/algorithm.hpp"
#include "cotangent/output/json.hpp"
#include "cotangent/report/packed.hpp"

namespace cotangent {
namespace {

using Members = std::vector<std::pair<std::string, Json>>;

constexpr std::size_t kSpectrum = 16384;  // points of a periodogram
constexpr std::size_t kFormula = 900;     // bytes of LaTeX that can be read

std::string text_at(const Location& where) {
  if (!where.source) return {};
  std::string text = where.source->text().substr(where.span.begin, where.span.length());
  const bool is_quoted = text.size() > 1 && text.front() == '"' && text.back() == '"';
  return is_quoted ? text.substr(1, text.size() - 2) : text;
}

// A number, or a column of them.
std::string latex(const std::vector<Expr>& components) {
  if (components.size() == 1) return to_latex(components.front());
  std::string text = "\\begin{pmatrix}";
  for (const Expr& e : components) text += to_latex(e) + "\\\\";
  return text + "\\end{pmatrix}";
}

// ", i = 2, ..., N" for each loop.
std::string latex(Graph& graph, const std::vector<Loop>& loops) {
  std::string text;
  for (const auto& [index, lo, hi] : loops)
    text += fmt::format(",\\quad {} = {},\\dots,{}", to_latex(graph.symbol_expr(index)), to_latex(lo), to_latex(hi));
  return text;
}

std::string latex(Graph& graph, const Assignment& assignment) {
  return to_latex(assignment.indices.empty() ? graph.symbol_expr(assignment.target)
                                             : graph.entry(assignment.target, assignment.indices));
}

// Formulas as they were written and, unless they are long, typeset.
Json equations(const Model& shared) {
  const Model model = branch(shared);  // nodes for the targets are new
  Graph& graph = *model.graph;
  std::vector<Json> list;
  const auto add = [&](const std::string& name, std::string_view role, const Location& where, const auto& tex) {
    if (!where.source) return;
    std::optional<std::string> typeset;
    if (std::string formula = tex(); formula.size() <= kFormula) typeset = std::move(formula);
    list.push_back(Json::object({{"name", name}, {"role", role}, {"text", text_at(where)}, {"tex", typeset}}));
  };
  const auto add_named = [&](const NamedValues& values, const char* role, const char* end) {
    add(values.name, role, values.where, [&] { return latex(values.components) + end + latex(graph, values.loops); });
  };
  const auto add_assigned = [&](const Assignment& one, const char* role, const char* format) {
    add(graph.symbol(one.target).name, role, one.where, [&] {
      return fmt::format(fmt::runtime(format), latex(graph, one)) + to_latex(one.value) + latex(graph, one.loops);
    });
  };
  const std::string energy = model.dynamics == Dynamics::hamiltonian ? "H" : "L";
  if (model.energy.valid())
    add(energy, "energy", model.energy_where, [&] { return energy + " = " + to_latex(model.energy); });
  if (model.dissipation.valid())
    add("D", "dissipation", model.dissipation_where, [&] { return "D = " + to_latex(model.dissipation); });
  for (const auto& constraint : model.constraints) add_named(constraint, "constraint", " = 0");
  for (const auto& force : model.forces) add_assigned(force, "force", "f_{{{}}} = ");
  for (const auto& rate : model.rates) add_assigned(rate, "rate", "\\dot {} = ");
  for (const auto& invariant : model.invariants) add_named(invariant, "invariant", "");
  return Json::long_list(list);
}

template <class T>
Json record_json(const PageRecord<T>& record) {
  std::vector<Json> columns;
  for (const auto& column : record.columns()) {
    Members members{{"name", column.name}, {"role", column.role}, {"values", packed(column.values)}};
    // Records that are not shown count by their extrema.
    if (record.stride() > 1 && column.role != "momentum") {
      std::vector<double> t, low, high;
      for (const SeriesBin& bin : column.extrema.bins()) {
        t.push_back(bin.t_mean);
        low.push_back(column.extrema.first_value() + bin.min);
        high.push_back(column.extrema.first_value() + bin.max);
      }
      members.emplace_back("extrema",
                           Json::object({{"since", packed(t)}, {"low", packed(low)}, {"high", packed(high)}}));
    }
    columns.push_back(Json::object(members));
  }
  return Json::object({{"t", packed(record.times())},
                       {"records", record.records()},
                       {"stride", record.stride()},
                       {"columns_in_all", record.columns_in_all()},
                       {"columns", Json::long_list(columns)}});
}

Json paths(const Drawing::Paths& all) {
  return Json::list(Json::each(all, [](const auto& path) { return Json::list({path.begin(), path.end()}); }));
}

template <class T>
Json picture_json(const PageRecord<T>& record) {
  const Drawing& drawing = record.picture()->drawing();
  const std::vector<NamedRows>& rows = record.picture()->rows();
  const Picture& picture = drawing.picture;
  const auto count = [&](std::size_t k) { return rows[k].count / rows[k].components; };
  std::vector<Json> points, bodies;
  for (std::size_t k = 0; k < picture.points.size(); ++k)
    points.push_back(Json::object({{"name", picture.points[k].name},
                                   {"count", count(k)},
                                   {"size", picture.points[k].size},
                                   {"colour", picture.points[k].colour}}));
  for (std::size_t k = 0; k < picture.bodies.size(); ++k) {
    const auto& body = picture.bodies[k];
    bodies.push_back(Json::object({{"name", body.name},
                                   {"count", count(picture.points.size() + k)},
                                   {"box", Json::list({body.box.begin(), body.box.end()})},
                                   {"colour", body.colour}}));
  }
  return Json::object({{"dimension", picture.dimension},
                       {"stated", drawing.is_stated},
                       {"points", Json::long_list(points)},
                       {"bodies", Json::long_list(bodies)},
                       {"rods", paths(drawing.rods)},
                       {"lines", paths(drawing.lines)},
                       {"polygons", paths(drawing.polygons)},
                       {"trails", paths(drawing.trails)},
                       {"speed", picture.speed},
                       {"up", picture.up},
                       {"azimuth", picture.azimuth},
                       {"elevation", picture.elevation},
                       {"frames", packed_frames(record.frames(), drawing.numbers)}});
}

// No peak is lost: of neighbours the largest is shown.
Json spectrum(const NamedPeriodogram& named) {
  const Periodogram& p = named.periodogram;
  const std::size_t step = (p.power.size() + kSpectrum - 1) / kSpectrum;
  std::vector<double> frequency, power;
  for (std::size_t j = 0; j < p.power.size(); j += step) {
    const auto end = std::min(j + step, p.power.size());
    const auto top = std::max_element(p.power.begin() + static_cast<std::ptrdiff_t>(j),
                                      p.power.begin() + static_cast<std::ptrdiff_t>(end));
    frequency.push_back(p.frequency(static_cast<std::size_t>(top - p.power.begin())));
    power.push_back(*top);
  }
  return Json::object({{"name", named.name}, {"frequency", packed(frequency)}, {"power", packed(power)}});
}

Json axis_json(const PageFigure::Axis& axis) {
  return Json::object({{"label", axis.label}, {"log", axis.is_logarithmic}});
}

Json figure_json(const PageFigure& figure) {
  const auto line = [](const PageFigure::Line& one) {
    return Json::object({{"label", one.label},
                         {"x", Json::list({one.x.begin(), one.x.end()})},
                         {"y", Json::list({one.y.begin(), one.y.end()})},
                         {"emphasis", one.is_emphasised},
                         {"dots", one.is_dotted}});
  };
  const auto mark = [](const PageFigure::Mark& one) { return Json::object({{"x", one.x}, {"label", one.label}}); };
  return Json::object({{"title", figure.title},
                       {"caption", figure.caption},
                       {"x", axis_json(figure.x)},
                       {"y", axis_json(figure.y)},
                       {"lines", Json::list(Json::each(figure.lines, line))},
                       {"marks", Json::list(Json::each(figure.marks, mark))}});
}

Json table_json(const PageTable& table) {
  const auto row = [](const std::vector<std::string>& cells) { return Json::list({cells.begin(), cells.end()}); };
  std::optional<std::int64_t> emphasised, marks;
  if (table.emphasised) emphasised = static_cast<std::int64_t>(*table.emphasised);
  if (table.marks) marks = static_cast<std::int64_t>(*table.marks);
  return Json::object({{"title", table.title},
                       {"caption", table.caption},
                       {"rows", Json::list(Json::each(table.rows, row))},
                       {"emphasised", emphasised},
                       {"marks", marks}});
}

Json part_json(const PagePart& part) {
  return Json::object({{"title", part.title},
                       {"lead", part.lead},
                       {"figures", Json::list(Json::each(part.figures, figure_json))},
                       {"tables", Json::list(Json::each(part.tables, table_json))}});
}

// Inside <script> a text must not end it.
std::string inside_script(std::string text) {
  std::string safe;
  safe.reserve(text.size());
  for (const char c : text) c == '<' ? safe += "\\u003c" : safe += c;
  return safe;
}

}  // namespace

template <class T>
Json page_run(const RunReport<T>& report, const PageRecord<T>& record, const PageRecord<T>* section) {
  Members run{{"label", report.method},
              {"summary", summary_json(report, WithPoint::no)},
              {"record", record_json(record)},
              {"periodograms", Json::long_list(Json::each(report.periodograms, spectrum))}};
  if (record.picture()) run.emplace_back("picture", picture_json(record));
  if (section) run.emplace_back("section", record_json(*section));
  return Json::object(run);
}

std::string PageData::text() const {
  Members all{{"kind", origin.kind},
              {"program", origin.program},
              {"command", origin.command},
              {"name", model ? model->name : origin.kind},
              {"title", !model                 ? title
                        : model->title.empty() ? model->name
                                               : model->title}};
  if (verdict)
    all.emplace_back("verdict",
                     Json::object({{"mark", verdict->mark}, {"head", verdict->head}, {"text", verdict->text}}));
  if (model && model->source)
    all.emplace_back("source", Json::object({{"file", model->name + ".toml"},
                                             {"text", model->source->text()},
                                             {"set", Json::list({model->set.begin(), model->set.end()})}}));
  all.emplace_back("equations", model ? equations(*model) : Json::list({}));
  all.emplace_back("runs", Json::list(runs));
  if (analysis) all.emplace_back("analysis", *analysis);
  all.emplace_back("parts", Json::list(Json::each(parts, part_json)));
  return Json::object(all).text();
}

#define COTANGENT_FUNCTIONS(T) template Json page_run(const RunReport<T>&, const PageRecord<T>&, const PageRecord<T>*);
COTANGENT_FOR_PRECISIONS(COTANGENT_FUNCTIONS)

// The page that pages/ is bundled into, as bytes of this object; nothing where it was built without Node.js.
asm(R"(
  .section .rodata
  .global cotangent_page_begin
  .global cotangent_page_end
  .hidden cotangent_page_begin
  .hidden cotangent_page_end
cotangent_page_begin:
  .incbin ")" COTANGENT_PAGE R"("
cotangent_page_end:
  .byte 0
  .text
)");
extern "C" const char cotangent_page_begin[], cotangent_page_end[];

namespace {

constexpr std::string_view kPlace = "\"the data of the page\"";

std::string_view page() { return {cotangent_page_begin, cotangent_page_end}; }

}  // namespace

bool has_page() { return !page().empty(); }

std::string page_with(const std::string& data) {
  const std::size_t at = page().find(kPlace);
  COTANGENT_CHECK(at != page().npos);
  std::string text(page().substr(0, at));
  text += inside_script(data);
  text += page().substr(at + kPlace.size());
  return text;
}

}  // namespace cotangent
