#include "cotangent/integrator/splitting_families.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/integrator/splitting.hpp"

namespace cotangent {
namespace {

template <class T>
std::unique_ptr<Integrator<T>> make(const MethodName& name, Manifold<T>& manifold, std::string_view,
                                    const FormulationOptions&, const MethodOptions&) {
  const SplittingTable table = splitting_table(name);
  if (manifold.system().m() > 0)
    throw std::invalid_argument(fmt::format(
        "the method '{}' is for systems without constraints, and here are {}; use rattle, compose:{}(rattle) "
        "or reich({}) instead",
        table.name, manifold.system().m(), std::max(table.order, 4) + table.order % 2, table.name));
  return std::make_unique<Splitting<T>>(table, manifold.system());
}

}  // namespace

template <class T>
std::vector<MethodFamily<T>> splitting_families() {
  std::vector<MethodFamily<T>> families;
  const auto add = [&](const std::string& word, const std::string& pattern, std::vector<std::string> members) {
    families.push_back({.word = word,
                        .pattern = pattern,
                        .members = std::move(members),
                        .facts = [](const MethodName& name) { return splitting_facts(splitting_table(name)); },
                        .make = make<T>});
  };
  for (const char* word : {"stormer-verlet", "ruth3", "forest-ruth", "blanes-moan4", "blanes-moan6"}) {
    add(word, std::string(word) + "[:kick]", {word, std::string(word) + ":kick"});
  }
  add("blanes-moan-rkn4", "blanes-moan-rkn4", {"blanes-moan-rkn4"});
  add("blanes-moan-rkn6", "blanes-moan-rkn6[:11|14]", {"blanes-moan-rkn6", "blanes-moan-rkn6:11"});
  return families;
}

#define COTANGENT_FUNCTIONS(T) template std::vector<MethodFamily<T>> splitting_families();
COTANGENT_FOR_NUMBERS(COTANGENT_FUNCTIONS)

}  // namespace cotangent
