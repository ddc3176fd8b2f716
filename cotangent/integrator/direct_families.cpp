#include "cotangent/integrator/direct_families.hpp"

#include "cotangent/integrator/lobatto.hpp"

namespace cotangent {
namespace {

int lobatto_stages(const MethodName& name) { return only_integer(name, 2, 6); }

template <class T>
MethodFamily<T> lobatto_family() {
  return {.word = "lobatto",
          .pattern = "lobatto:S",
          .members = {"lobatto:3"},
          .facts = [](const MethodName& name) { return Lobatto<T>::sheet(lobatto_stages(name), name.text()); },
          .make = [](const MethodName& name, Manifold<T>& manifold, std::string_view, const FormulationOptions&,
                     const MethodOptions& options) -> std::unique_ptr<Integrator<T>> {
            const int stages = lobatto_stages(name);
            return std::make_unique<Lobatto<T>>(Lobatto<T>::sheet(stages, name.text()), stages, manifold,
                                                options.solver);
          }};
}

}  // namespace

template <class T>
std::vector<MethodFamily<T>> direct_families() {
  return {lobatto_family<T>()};
}

template std::vector<MethodFamily<double>> direct_families();
template std::vector<MethodFamily<long double>> direct_families();
template std::vector<MethodFamily<Quad>> direct_families();
template std::vector<MethodFamily<Lanes>> direct_families();

}  // namespace cotangent
