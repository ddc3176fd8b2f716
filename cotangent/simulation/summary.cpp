#include "cotangent/simulation/summary.hpp"

#include <array>

#include "cotangent/base/archive.hpp"

namespace cotangent {

const char* describe(Outcome outcome) {
  return std::array{"done", "failed", "interrupted"}[static_cast<std::size_t>(outcome)];
}

const char* describe(Phase phase) {
  return std::array{"step", "projection", "tolerance", "recording"}[static_cast<std::size_t>(phase)];
}

void Warning::state(Archive& archive) {
  archive("time", time);
  archive("kind", kind);
  archive("text", text);
}

Counts& Counts::operator+=(const Counts& other) {
  for (const auto count : {&Counts::rhs, &Counts::newton, &Counts::projections, &Counts::charts, &Counts::rejected})
    this->*count += other.*count;
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
