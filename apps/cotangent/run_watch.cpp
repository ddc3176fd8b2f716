#include "run_watch.hpp"

#include "cotangent/analysis/growth.hpp"
#include "cotangent/base/instantiate.hpp"
#include "monitor_sources.hpp"

using namespace cotangent;

namespace {

// Changes begin with 0, and residuals and errors count from it; others are measured from where they began.
template <class T>
GrowthOptions growth_options(const Monitor<T>& monitor) {
  const bool is_level = monitor.name() == "condition" || monitor.name() == "multipliers";
  return {.reference = is_level ? std::nullopt : std::optional<double>(0)};
}

}  // namespace

template <class T>
RunWatch<T>::RunWatch(const RunMachine<T>& machine, std::vector<std::string>& notes)
    : options_(machine.parts.options),
      monitors_(machine.parts.choices.monitors, machine.manifold(), monitor_sources<T>(machine.parts)),
      section_(machine.parts, notes) {
  if (section_.follower()) monitors_.add(section_.follower());
  if (options_.certify.value_or(false))
    certifier_.emplace(machine.parts, machine.facts(), machine.manifold(), monitors_);
}

template <class T>
void RunWatch<T>::note_idle_growth(std::vector<std::string>& notes) const {
  if (options_.growth.value_or(false) && monitors_.list().empty())
    notes.emplace_back("--growth changes nothing: nothing is watched");
}

template <class T>
void RunWatch<T>::follow(Simulation<T>& simulation) {
  if (options_.growth.value_or(false) || certifier_) simulation.series = &series_;
  if (certifier_)
    simulation.begins_after_step = [this](const Monitor<T>& monitor) { return certifier_->begins_after_step(monitor); };
}

template <class T>
void RunWatch<T>::fit_growth(Summary& summary) const {
  for (std::size_t k = 0; k < series_.size(); ++k)
    summary.monitors[k].growth = cotangent::fit_growth(series_[k], growth_options(*monitors_.list()[k]));
}

template <class T>
std::optional<Certificate> RunWatch<T>::certificate(const Summary& summary, const PhasePoint<T>& z,
                                                    const std::optional<AdaptiveOptions>& adaptive,
                                                    const std::vector<ChangingInvariant>& changing) const {
  if (!certifier_) return std::nullopt;
  return (*certifier_)(series_, summary, z, adaptive, changing);
}

COTANGENT_INSTANTIATE(PRECISIONS, RunWatch);
