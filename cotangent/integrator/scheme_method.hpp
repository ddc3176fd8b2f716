#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cotangent/integrator/registry/method_family.hpp"
#include "cotangent/scheme/writer.hpp"

namespace cotangent {

/// A method on the constrained equations that states its step as a scheme, for all number types at once.
struct SchemeMethod {
  MethodFacts facts;
  scheme::WriteStep write;
  /// Why it does not take a system, and what to use instead; nothing if it does.
  std::string (*refusal)(const Structure& system) = [](const Structure&) { return std::string(); };
};

/// Such methods that differ by arguments; the members are as those of MethodFamily.
struct SchemeFamily {
  std::string word, pattern;
  std::vector<std::string> members;
  std::function<SchemeMethod(const MethodName& name)> method;
  std::string order = {}, description = {};
};

/// A method without arguments, under its own name.
SchemeFamily plain_family(SchemeMethod method);

/// @param inner the method whose steps the scheme contains, if there is one.
/// @throws std::invalid_argument if the method refuses the system. The manifold must outlive the integrator.
template <class T>
std::unique_ptr<Integrator<T>> make_integrator(const SchemeMethod& method, Manifold<T>& manifold,
                                               const MethodOptions& options = {},
                                               std::unique_ptr<Integrator<T>> inner = {});

template <class T>
MethodFamily<T> family_of(const SchemeFamily& family);

}  // namespace cotangent
