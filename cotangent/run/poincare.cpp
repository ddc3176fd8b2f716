#include "cotangent/run/poincare.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

#include "cotangent/base/instantiate.hpp"

namespace cotangent {

template <class T>
PoincareSection<T>::PoincareSection(const RunParts& parts, Notes& notes) {
  const RunPlan& plan = parts.plan;
  if (plan.section.empty()) return;
  const Expr f = read_option_expression(parts.words, parts.model, "section", plan.section);
  if (f.is_constant())
    notes.push_back(fmt::format("{} changes nothing: '{}' is constant, and never passes zero",
                                parts.words.name("section"), plan.section));
  auto value = std::make_unique<Expressions<T>>(parts.model, f, plan.chosen_backend());
  const auto take = [this](const PhasePoint<T>& z) {
    if (writer_) writer_->record(z, no_monitors_);
  };
  section_ = std::make_shared<Section<T>>(make_step_map<T>(parts), std::move(value), plan.section_direction, take);
  file_ = plan.section_out;
}

template <class T>
void PoincareSection<T>::open(const RunParts& parts, Manifold<T>& manifold, const std::optional<WrittenPart>& after) {
  if (!section_ || file_.empty()) return;
  try {
    writer_ = std::make_unique<CsvWriter<T>>(file_, parts.model, manifold, no_monitors_, after);
  } catch (const std::runtime_error& error) {
    parts.words.refuse("section-out", error.what());
  }
}

template <class T>
std::optional<SectionReport> PoincareSection<T>::finish(Summary& summary) {
  if (!section_) return std::nullopt;
  try {
    if (writer_) writer_->finish();
  } catch (const std::runtime_error& error) {
    if (summary.outcome == Outcome::done)
      summary.failure =
          Failure{.during = Phase::recording, .step = summary.steps, .time = summary.time, .message = error.what()};
    summary.outcome = Outcome::failed;
  }
  if (section_->lost() > 0)
    summary.warnings.push_back(
        {summary.time, "section-lost",
         fmt::format("{} crossings of the section were not found: no step could be made to them", section_->lost())});
  if (auto remark = section_->remark(); !remark.empty() && summary.steps > 0)
    summary.warnings.push_back({summary.time, "section-empty", std::move(remark)});
  return SectionReport{section_->count(), file_.empty() ? std::nullopt : std::optional(file_)};
}

COTANGENT_INSTANTIATE(PRECISIONS, PoincareSection);

}  // namespace cotangent
