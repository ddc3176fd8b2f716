#include "cotangent/integrator/project_around.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace cotangent {

void expect_to_be_projected(const MethodName& name, const MethodFacts& method) {
  const auto refuse = [&](const std::string& why) {
    throw std::invalid_argument(fmt::format("'{}' is not made: {}", name.text(), why));
  };
  const auto& fields = method.formulations;
  if (method.keeps_energy)
    refuse(fmt::format("'{}' keeps H, which a projection would lose; use it as it is, or {}(implicit-midpoint)",
                       method.name, name.word));
  if (method.applies_to.find("no constraints") != std::string::npos)
    refuse(
        fmt::format("'{}' is for systems without constraints; use rattle, compose:4(rattle) or "
                    "reich(stormer-verlet)",
                    method.name));
  if (method.kind == MethodKind::constrained || std::find(fields.begin(), fields.end(), "direct") != fields.end())
    refuse(fmt::format("'{}' returns to the constraints by itself; use it as it is", method.name));
}

}  // namespace cotangent
