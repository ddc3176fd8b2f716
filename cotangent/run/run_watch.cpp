#include "cotangent/run/run_watch.hpp"

#include "cotangent/base/instantiate.hpp"
#include "cotangent/run/monitor_sources.hpp"
#include "cotangent/simulation/run_signals.hpp"

namespace cotangent {

template <class T>
RunWatch<T>::RunWatch(const RunMachine<T>& machine, Notes& notes)
    : plan_(machine.parts.plan),
      monitors_(*machine.parts.plan.monitor, machine.manifold(), monitor_sources<T>(machine.parts)),
      section_(machine.parts, notes) {
  if (section_.follower()) monitors_.add(section_.follower());
  if (!plan_.certify && !plan_.growth) return;
  const RunParts& parts = machine.parts;
  probe_ = std::make_shared<MapProbe<T>>(make_step_map<T>(parts), make_step_map<Quad>(parts),
                                         plan_.initial == InitialPolicy::as_given);
  monitors_.add(probe_);
  if (plan_.certify) certifier_.emplace(parts, machine.facts(), monitors_, *probe_);
}

template <class T>
void RunWatch<T>::note_idle_growth(Notes& notes) const {
  if (plan_.growth && monitors_.list().empty()) notes.emplace_back("`growth` changes nothing: nothing is watched");
}

template <class T>
void RunWatch<T>::follow(Simulation<T>& simulation) {
  if (probe_) simulation.series = &series_;
  if (certifier_)
    simulation.begins_after_step = [this](const Monitor<T>& monitor) { return certifier_->begins_after_step(monitor); };
}

template <class T>
void RunWatch<T>::fit_growth(Summary& summary) const {
  if (!plan_.growth) return;
  for (std::size_t k = 0; k < series_.size(); ++k)
    summary.monitors[k].growth =
        cotangent::fit_growth(series_[k], growth_options(*monitors_.list()[k], *probe_, summary.steps));
}

template <class T>
std::optional<Certificate> RunWatch<T>::certificate(const Summary& summary,
                                                    const std::optional<AdaptiveOptions>& adaptive,
                                                    const std::vector<ChangingInvariant>& changing) const {
  if (!certifier_) return std::nullopt;
  return (*certifier_)(series_, summary, adaptive, changing);
}

COTANGENT_INSTANTIATE(PRECISIONS, RunWatch);

}  // namespace cotangent
