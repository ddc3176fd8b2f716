#include <fmt/format.h>

#include <optional>

#include "commands.hpp"
#include "cotangent/analyze/dirac/imposed.hpp"
#include "cotangent/analyze/dirac/report.hpp"
#include "cotangent/analyze/paper/equations.hpp"
#include "cotangent/model/reader.hpp"
#include "cotangent/output/json.hpp"
#include "cotangent/run/options/option_table.hpp"
#include "messages.hpp"

using namespace cotangent;

namespace {

// Coordinates and imposed constraints of systems that are still analysed in symbols.
constexpr std::size_t kSmall = 12;

// Coordinates of systems of other kinds.
constexpr std::int64_t kWritten = 200;

bool is_small(const Model& model) {
  auto size = static_cast<std::size_t>(model.dimension());
  if (size > kSmall) return false;
  WrittenOut written(model);
  for (const auto& constraint : model.constraints) size += written.all(constraint).size();
  return size <= kSmall;
}

Model read(const AnalyzeRequest& request, InitialCoverage initial) {
  return read_model(find_model(request.model), request.set, run_keys(), {}, initial);
}

using Members = std::vector<std::pair<std::string, Json>>;

void print_report(const AnalyzeRequest& request, const Model& model, const Members& found, const std::string& text) {
  if (!request.json) return print(fmt::format("{}\n\n{}", model.title.empty() ? model.name : model.title, text));
  Members members{{"model", model.name}, {"title", model.title}};
  members.insert(members.end(), found.begin(), found.end());
  print(Json::object(members).text() + "\n");
}

}  // namespace

int analyze(const AnalyzeRequest& request) {
  if (request.stability || request.equilibrium || request.relative_equilibrium) return analyze_motion(request);
  const Model model = read(request, InitialCoverage::partial);
  const bool is_imposed =
      !model.constraints.empty() && model.primary_constraints.empty() && model.gauge.empty() && !model.functions;
  const auto by_rank = [&] {
    const auto found = imposed_constraints(read(request, InitialCoverage::complete), request.brackets);
    if (!found) return false;
    Members members = json_of(*found);
    if (request.json) members.emplace_back("equations", json_of(equations_for_papers(model)));
    print_report(request, model, members, text_of(*found));
    return true;
  };
  if (is_imposed && !is_small(model) && by_rank()) return kDone;
  if (model.dimension() > kWritten)
    throw UsageError(
        fmt::format("constraints in phase space are analysed in symbols, for up to {} coordinates; the system has {}",
                    kWritten, model.dimension()));
  DiracAlgorithm analysis(model);
  if (is_imposed && !analysis.undecided().empty() && by_rank()) return kDone;
  DiracReport report{analysis, {}, {}};
  for (const auto& text : request.brackets) report.brackets.push_back(analysis.bracket(text));
  if (!report.brackets.empty() && analysis.is_settled()) report.laws = analysis.check_laws();
  Members members = json_of(report);
  if (request.json) members.emplace_back("equations", json_of(equations_for_papers(model)));
  print_report(request, model, members, text_of(report, request.latex));
  if (request.latex && !request.json) print('\n' + latex_of(equations_for_papers(model)));
  return kDone;
}
