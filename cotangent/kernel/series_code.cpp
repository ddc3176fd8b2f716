#include "cotangent/kernel/series_code.hpp"

#include "cotangent/kernel/machine_code.hpp"

namespace cotangent {
namespace {

template <class X>
std::int64_t address(X* x) {
  return static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(x));
}

}  // namespace

SeriesCode::SeriesCode(const SeriesPlan& plan, const std::vector<JetKernel<double>*>& kernels, MachineCode& code)
    : code_(code.find(plan)), words_(static_cast<std::size_t>(SeriesTable::of_vector(plan.vectors)), 0) {
  const auto add_map = [&](const IndexMap& at) {
    const bool is_list = at.kind() == IndexMap::Kind::list;
    words_.push_back(is_list ? address(at.list()) : at.offset());
    words_.push_back(is_list ? 0 : at.stride());
  };
  for (JetKernel<double>* kernel : kernels) {
    const JetPlan& each = kernel->plan();
    words_.push_back(address(kernel->memory()));
    words_.push_back(address(kernel->scratch()));
    words_.push_back(each.count);
    for (const auto& load : each.loads) add_map(load.at);
    for (const auto& at : each.counters) add_map(at);
    for (const auto& store : each.stores) add_map(store.at);
  }
}

void SeriesCode::set_vector(int v, const double* first, std::size_t stride) {
  const auto word = static_cast<std::size_t>(SeriesTable::of_vector(v));
  words_[word] = address(first);
  words_[word + 1] = static_cast<std::int64_t>(stride);
}

void SeriesCode::operator()(SeriesTable::Call call, void* object, const double* inverse) {
  words_[SeriesTable::function] = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(call));
  words_[SeriesTable::object] = address(object);
  words_[SeriesTable::inverse] = address(inverse);
  code_(words_.data());
}

}  // namespace cotangent
