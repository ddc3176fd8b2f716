#include "cotangent/simulation/summary.hpp"

#include "cotangent/base/archive.hpp"

namespace cotangent {

const char* describe(Outcome outcome) {
  switch (outcome) {
    case Outcome::done:
      return "done";
    case Outcome::failed:
      return "failed";
    case Outcome::interrupted:
      return "interrupted";
  }
  return "";
}

const char* describe(Phase phase) {
  switch (phase) {
    case Phase::step:
      return "step";
    case Phase::projection:
      return "projection";
    case Phase::tolerance:
      return "tolerance";
    case Phase::recording:
      return "recording";
  }
  return "";
}

void Warning::state(Archive& archive) {
  archive("time", time);
  archive("kind", kind);
  archive("text", text);
}

Counts& Counts::operator+=(const Counts& other) {
  rhs += other.rhs;
  newton += other.newton;
  projections += other.projections;
  charts += other.charts;
  rejected += other.rejected;
  return *this;
}

void Counts::state(Archive& archive) {
  archive("rhs", rhs);
  archive("newton", newton);
  archive("projections", projections);
  archive("charts", charts);
  archive("rejected", rejected);
}

}  // namespace cotangent
