#include "cotangent/projection/projection_policy.hpp"

#include "cotangent/base/unknown_name.hpp"

namespace cotangent {

const std::vector<ProjectionFacts>& projections() {
  static const std::vector<ProjectionFacts> all{
      {.projection = Projection::none,
       .name = "none",
       .description = "nothing is projected",
       .rows = "none",
       .moves = "nothing",
       .metrics = "",
       .keeps = "whatever the method keeps"},
      {.projection = Projection::position,
       .name = "position",
       .description = "q returns to g(q) = 0 after a step",
       .rows = "g = 0",
       .moves = "q by -H_pp G' mu; euclidean: by -G' mu",
       .metrics = "mass (to first order) or euclidean",
       .keeps = "the order; neither symplecticity nor symmetry, nor G H_p = 0"},
      {.projection = Projection::momentum,
       .name = "momentum",
       .description = "p returns to G(q) H_p(q, p) = 0 after a step",
       .rows = "psi = G H_p + g_t = 0",
       .moves = "p by -G' mu; euclidean: by -H_pp G' mu",
       .metrics = "mass or euclidean",
       .keeps = "the order, and q; neither symplecticity nor symmetry; H changes by -psi' R^-1 psi / 2"},
      {.projection = Projection::both,
       .name = "both",
       .description = "q returns to g(q) = 0, then p to G(q) H_p(q, p) = 0",
       .rows = "g = 0 and psi = 0",
       .moves = "q as position does, then p as momentum does",
       .metrics = "mass or euclidean, of each",
       .keeps = "the order; neither symplecticity nor symmetry"},
      {.projection = Projection::joint,
       .name = "joint",
       .description = "(q, p) returns to the nearest point with g(q) = 0 and G(q) H_p(q, p) = 0",
       .rows = "g = 0 and psi = 0",
       .moves = "q and p together",
       .metrics = "mass or euclidean, of (q, p)",
       .keeps = "the order; neither symplecticity nor symmetry"},
      {.projection = Projection::stage,
       .name = "stage",
       .description = "the field is evaluated at stages that are projected as by joint, the step itself is not",
       .rows = "none after a step",
       .moves = "the stages of the method, q and p together",
       .metrics = "mass or euclidean, of (q, p)",
       .keeps = "the order and symmetry, not symplecticity; constraints are lost in long runs"},
      {.projection = Projection::symmetric,
       .name = "symmetric",
       .description = "(q, p) leaves the constraints before a step and returns after it by the same multipliers",
       .rows = "g = 0 and psi = 0",
       .moves = "q by H_pp G' mu_1 and p by G' mu_2 at both ends",
       .metrics = "mass",
       .keeps = "the order and symmetry, not symplecticity: the method symmetric(METHOD)"},
      {.projection = Projection::stabilise,
       .name = "stabilise",
       .description = "(q, p) makes one step towards the nearest point, without iteration: post-stabilisation",
       .rows = "g and psi become as small as their squares",
       .moves = "q and p together",
       .metrics = "mass or euclidean, of (q, p)",
       .keeps = "the order; neither symplecticity nor symmetry"},
      {.projection = Projection::relaxation,
       .name = "relaxation",
       .description =
           "a step becomes gamma times as long, so that invariants are kept; a step of h ends at t + gamma h",
       .rows = "invariants",
       .moves = "(q, p), the states and the time along the step, and along embedded results for further invariants",
       .metrics = "",
       .keeps = "the order; neither symplecticity nor symmetry; for systems without constraints"},
      {.projection = Projection::scaling,
       .name = "scaling",
       .description = "sets of variables are scaled, one for each invariant, until all have their first values",
       .rows = "invariants",
       .moves = "each set by one factor; to the nearest point where no factors near 1 do it",
       .metrics = "",
       .keeps = "the order; neither symplecticity nor symmetry; for systems without constraints"},
  };
  return all;
}

const std::string& name_of(Projection projection) { return projections()[static_cast<std::size_t>(projection)].name; }

Projection find_projection(std::string_view name) {
  std::vector<std::string> names;
  for (const auto& facts : projections()) {
    if (facts.name == name) return facts.projection;
    names.push_back(facts.name);
  }
  throw UnknownName("projection", name, names);
}

namespace {

const std::vector<std::string>& metric_names() {
  static const std::vector<std::string> names{"mass", "euclidean"};
  return names;
}

}  // namespace

const std::string& name_of(Metric metric) { return metric_names()[static_cast<std::size_t>(metric)]; }

Metric find_metric(std::string_view name) {
  for (const Metric metric : {Metric::mass, Metric::euclidean})
    if (name_of(metric) == name) return metric;
  throw UnknownName("metric", name, metric_names());
}

}  // namespace cotangent
