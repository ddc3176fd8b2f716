#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>
#include <utility>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/base/limits.hpp"
#include "cotangent/base/step_parts.hpp"
#include "cotangent/integrator/registry/registry.hpp"
#include "cotangent/monitor/reference/exact_solution.hpp"
#include "cotangent/monitor/reference/finer_run.hpp"
#include "cotangent/monitor/reference/recorded_run.hpp"
#include "cotangent/output/record/read_record.hpp"
#include "cotangent/run/parts/run_machine.hpp"
#include "cotangent/simulation/pace/finer_adaptive_run.hpp"

namespace cotangent {

namespace {

void expect_small_basis(const RunParts& parts) {
  const Elements& elements = *parts.elements;
  const auto expect = [&](const char* name, std::int64_t dimension, const char* other) {
    if (parts.plan.is_watched(name) && dimension > kLimits.basis)
      parts.words.refuse(
          "monitor",
          fmt::format("'{}' carries a basis of the tangent space, of {} vectors here, and takes at most {}", name,
                      dimension, kLimits.basis),
          fmt::format("'{}' carries few vectors, for systems of any size", other));
  };
  expect("symplectic", 2 * (elements.n - elements.m), "wedge");
  expect("volume", 2 * elements.n + elements.states, "lyapunov");
}

template <class T>
std::unique_ptr<Reference<T>> recorded_reference(const RunParts& parts, const std::string& file) {
  try {
    auto table = read_record<T>(file);
    return std::make_unique<RecordedRun<T>>(parts.model, table.names, std::move(table.columns), table.lines);
  } catch (const std::invalid_argument& error) {
    parts.words.refuse("reference", fmt::format("{} cannot be compared with: {}", file, error.what()));
  } catch (const std::runtime_error& error) {
    parts.words.refuse("reference", error.what());
  }
}

// Steps that are chosen as a run goes are chosen by each of both runs for itself. The residuals that a threshold of
// projections leaves do not depend on the step: it must become smaller as errors of the method do, or both runs would
// share them.
template <class T>
std::unique_ptr<Reference<T>> make_finer_run(const RunParts& parts, int K) {
  RunParts finer = parts;
  if (auto& above = finer.plan.project_above) {
    const int order = find_method<T>(parts.plan.method).facts.order;
    *above *= parts.plan.is_adaptive() ? std::pow(FinerAdaptiveRun<T>::refinement(K), -order)
                                       : StepParts(K).error_left(order);
  }
  StepMap<T> map = make_step_map<T>(finer);
  if (!parts.plan.is_adaptive() && !map.integrator->facts().moves_time)
    return std::make_unique<FinerRun<T>>(std::move(map), K);
  const AdaptiveOptions adaptive = parts.plan.adaptive();
  const bool has_density = adaptive.controller == Controller::reversible && !parts.plan.step_density.empty();
  auto density = has_density ? make_density<T>(parts) : nullptr;
  return std::make_unique<FinerAdaptiveRun<T>>(std::move(map), adaptive, K, std::move(density));
}

template <class T>
std::unique_ptr<Reference<T>> make_reference(const RunParts& parts) {
  const std::string& text = parts.plan.reference;
  if (const auto digits = parts.plan.refinement()) {
    int K = 0;
    const char* end = digits->data() + digits->size();
    const auto result = std::from_chars(digits->data(), end, K);
    if (result.ec != std::errc() || result.ptr != end || K < 2 || K > kLimits.refinement)
      parts.words.refuse("reference",
                         fmt::format("'{}': K steps in place of each one, K = 2, 3, ..., {}", text, kLimits.refinement),
                         "use finer:2");
    return make_finer_run<T>(parts, K);
  }
  if (text == "exact") {
    if (parts.model.exact.empty())
      parts.words.refuse(
          "reference", "the model states no exact solution",
          fmt::format("add a table [exact] with functions of t, or use {}", parts.words.spell("reference", "finer:2")));
    return std::make_unique<ExactSolution<T>>(parts.model, parts.plan.chosen_backend());
  }
  if (parts.plan.has_record()) return recorded_reference<T>(parts, text);
  parts.words.refuse("reference", fmt::format("there is no reference '{}'", text),
                     "use finer:K, exact or a record, FILE.csv, FILE.npz or FILE.h5");
}

}  // namespace

template <class T>
MonitorSources<T> monitor_sources(const RunParts& parts) {
  expect_small_basis(parts);
  MonitorSources<T> sources;
  sources.tangents = [parts] {
    return parts.words.blame("monitor",
                             [&] { return std::make_shared<StepMap<Tangents>>(make_step_map<Tangents>(parts)); });
  };
  if (!parts.plan.reference.empty()) {
    sources.reference = [parts] { return make_reference<T>(parts); };
  } else if (parts.plan.is_watched("error")) {
    parts.words.refuse("monitor", "'error' needs something to compare with",
                       fmt::format("add {}, exact or FILE.csv", parts.words.spell("reference", "finer:2")));
  }
  return sources;
}

#define COTANGENT_FUNCTIONS(T) template MonitorSources<T> monitor_sources(const RunParts&);
COTANGENT_FOR_PRECISIONS(COTANGENT_FUNCTIONS)

}  // namespace cotangent
