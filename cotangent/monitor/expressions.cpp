#include "cotangent/monitor/expressions.hpp"

#include <utility>

#include "cotangent/base/instantiate.hpp"
#include "cotangent/manifold/regular_elements.hpp"

namespace cotangent {
namespace {

std::shared_ptr<const Elements> elements_with(const Model& model, std::vector<NamedValues> expressions) {
  Model changed = model;
  changed.observables = std::move(expressions);
  changed.invariants.clear();
  std::vector<std::string> notes;
  return regular_elements(changed, notes);
}

}  // namespace

template <class T>
Expressions<T>::Expressions(const Model& model, std::vector<NamedValues> expressions, Backend backend)
    : system_(elements_with(model, std::move(expressions)), backend), manifold_(system_), values_(manifold_) {}

template <class T>
Expressions<T>::Expressions(const Model& model, const Expr& expression, Backend backend)
    : Expressions(model, {{.name = "expression", .loops = {}, .labels = {}, .components = {expression}}}, backend) {}

COTANGENT_INSTANTIATE(PRECISIONS, Expressions);

}  // namespace cotangent
