#include "option_table.hpp"

#include <fmt/format.h>

using namespace cotangent;

const std::vector<OptionEntry>& option_entries() {
  static const std::vector<OptionEntry> all{
      {"method", &RunOptions::method, "M", "how steps are made (cotangent list methods)", "Method"},
      {"formulation", &RunOptions::formulation, "F",
       "which equations of motion (cotangent list formulations); each method has its default", "Method"},
      {"hamiltonian", &RunOptions::hamiltonian, "WHICH",
       "given (default), or alternative: hamiltonian_alternative of the model in place of H", "Method"},
      {"solver", &RunOptions::solver, "S",
       "implicit methods: auto (default), functional (iteration only) or newton; always to rounding", "Method"},
      {"initial", &RunOptions::initial, "POLICY",
       "inconsistent initial data: project (default) moves them onto the constraints, as-given keeps them", "Method"},
      {"projection", &RunOptions::projection, "P",
       "back to the constraints, after steps: none, position, momentum, both, joint; inside steps: stage, symmetric "
       "(cotangent list projections); default: none where the method keeps the constraints, else both",
       "Projection"},
      {"metric", &RunOptions::metric, "METRIC", "in which points go to the nearest one: mass (default) or euclidean",
       "Projection"},
      {"project-invariants", &RunOptions::project_invariants, "LIST",
       "back to the values at the start as well of: energy, names of [invariants]; separated by commas", "Projection"},
      {"project-every", &RunOptions::project_every, "K", "project after every K-th step only (1)", "Projection"},
      {"project-above", &RunOptions::project_above, "EPS",
       "project only where a residual (|g|, |G H_p|, a change of an invariant) exceeds EPS", "Projection"},
      {"gauge", &RunOptions::gauge, "ALPHA", "dirac, dirac-weak: R eta = -psi + ALPHA g (0)", "Formulation"},
      {"baumgarte", &RunOptions::baumgarte, "ALPHA,BETA",
       "baumgarte: g'' + 2 ALPHA g' + BETA^2 g = 0 (10,10); one number is both", "Formulation"},
      {"chart", &RunOptions::chart, "KIND", "state-space: partition (default), qr or svd", "Formulation"},
      {"chart-update", &RunOptions::chart_update, "WHEN",
       "state-space: midpoint (default), hysteresis or every-step; the latter two lose the long-time behaviour",
       "Formulation"},
      {"impetus-reset", &RunOptions::impetus_reset, "K", "impetus: p* <- p after every K-th step", "Formulation"},
      {"impetus-reset-above", &RunOptions::impetus_reset_above, "EPS", "impetus: p* <- p where |p* - p| exceeds EPS",
       "Formulation"},
      {"step", &RunOptions::step, "H", "the step, or the first one to try; a number or an expression such as pi/100",
       "Time"},
      {"tolerance", &RunOptions::tolerance, "T", "adaptive steps: the relative error of a step that is tolerated",
       "Time"},
      {"absolute-tolerance", &RunOptions::absolute_tolerance, "A",
       "the same beside it for numbers near zero; default: T times the largest of their kind", "Time"},
      {"controller", &RunOptions::controller, "C",
       "how adaptive steps are chosen: reversible (default for symmetric methods) or pi (for others)", "Time"},
      {"step-density", &RunOptions::step_density, "EXPRESSION",
       "reversible: steps are proportional to 1/EXPRESSION; default: a frequency of the motion", "Time"},
      {"end", &RunOptions::end, "T", "the final time; the last step is shortened to meet it", "Time", Later::free},
      {"monitor", &RunOptions::monitor, "LIST",
       "what is watched at every step, separated by commas: energy, position, momentum (the default), wedge, "
       "symplectic, "
       "lyapunov and others (cotangent list monitors), or none",
       "Watching"},
      {"certify", &RunOptions::certify, "",
       "end with a certificate: what method and projection promise, what was measured, and an estimate of the error",
       "Watching"},
      {"reference", &RunOptions::reference, "R",
       "what errors are measured against: finer:K (K steps in place of each one), exact ([exact] of the model) or "
       "FILE.csv",
       "Watching"},
      {"growth", &RunOptions::growth, "", "how what is watched grows: the k of t^k, with its uncertainty", "Watching"},
      {"periodogram", &RunOptions::periodogram, "LIST",
       "the strongest frequencies of coordinates, momenta, velocities, states, observables or monitors, at the records",
       "Watching"},
      {"section", &RunOptions::section, "EXPRESSION",
       "Poincare section: count the points where the expression passes zero", "Watching"},
      {"section-direction", &RunOptions::section_direction, "D", "of the section: up (default), down or both",
       "Watching"},
      {"section-out", &RunOptions::section_out, "FILE.csv", "write the points of the section to a file", "Watching",
       Later::free},
      {"out", &RunOptions::out, "FILE.csv", "write the trajectory to a file", "Output", Later::free},
      {"every", &RunOptions::every, "K", "record every K-th step (1)", "Output", Later::free},
      {"sample", &RunOptions::sample, "DT",
       "record at 0, DT, 2 DT, ...; a fixed step is made smaller where DT is no multiple of it", "Output", Later::free},
      {"json", &RunOptions::json, "", "print the summary as JSON, and nothing else, on standard output", "Output",
       Later::anew},
      {"quiet", &RunOptions::quiet, "", "print nothing but errors", "Output", Later::anew},
      {"backend", &RunOptions::backend, "B", "jit (default) or interpreter", "Evaluation", Later::free},
      {"precision", &RunOptions::precision, "P", "double (default) or quad, which is interpreted; long runs in quad",
       "Evaluation"},
      {"checkpoint", &RunOptions::checkpoint, "FILE",
       "keep the run in FILE when it ends, fails or is interrupted (Ctrl-C), so that --resume FILE can go on",
       "Checkpoints", Later::anew},
      {"checkpoint-every", &RunOptions::checkpoint_every, "K", "write the checkpoint after every K-th step as well",
       "Checkpoints", Later::free},
  };
  return all;
}

const OptionEntry* find_entry(std::string_view name) {
  for (const auto& entry : option_entries())
    if (entry.name == name) return &entry;
  return nullptr;
}

std::optional<std::string> text_of(const RunOptions& options, const OptionEntry& entry) {
  return std::visit(
      [&](auto member) -> std::optional<std::string> {
        const auto& value = options.*member;
        return value ? std::optional(fmt::format("{}", *value)) : std::nullopt;
      },
      entry.member);
}

namespace {

void read_text_into(std::optional<std::string>& member, const std::string& text) { member = text; }
void read_text_into(std::optional<double>& member, const std::string& text) { member = std::stod(text); }
void read_text_into(std::optional<std::int64_t>& member, const std::string& text) { member = std::stoll(text); }
void read_text_into(std::optional<bool>& member, const std::string& text) { member = text == "true"; }

struct TakeValue {
  RunOptions& options;
  const std::string key;
  const RunValue& value;

  void operator()(TextOption member) const { take(member, std::get_if<std::string>(&value), "a string"); }
  void operator()(FlagOption member) const { take(member, std::get_if<bool>(&value), "true or false"); }
  void operator()(IntegerOption member) const { take(member, std::get_if<std::int64_t>(&value), "an integer"); }
  void operator()(RealOption member) const {
    if (const auto* whole = std::get_if<std::int64_t>(&value)) {
      const auto real = static_cast<double>(*whole);
      take(member, &real, "");
    } else {
      take(member, std::get_if<double>(&value), "a number");
    }
  }

 private:
  template <class V>
  void take(std::optional<V> RunOptions::*member, const V* given, const char* expected) const {
    if (!given) options.places.refuse(key, fmt::format("'{}' in [run] must be {}", key, expected));
    if (!(options.*member)) options.*member = *given;
  }
};

}  // namespace

void set_from_text(RunOptions& options, const OptionEntry& entry, const std::optional<std::string>& text) {
  std::visit(
      [&](auto member) {
        if (text) {
          read_text_into(options.*member, *text);
        } else {
          (options.*member).reset();
        }
      },
      entry.member);
}

void take_value(RunOptions& options, const OptionEntry& entry, const RunValue& value) {
  std::visit(TakeValue{options, entry.name, value}, entry.member);
}
