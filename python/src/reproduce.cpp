#include "cotangent/run/reproduce/reproduce.hpp"

#include <pybind11/stl.h>

#include <map>

#include "interrupt.hpp"
#include "module.hpp"

namespace py = pybind11;
using namespace cotangent;

namespace {

using Files = std::map<std::string, std::string>;

// The table, the JSON, and whether no claim is a surprise.
py::tuple make(const std::vector<std::string>& names, const Files& files, const Files& models, int threads) {
  const std::vector<std::pair<std::string, std::filesystem::path>> known(files.begin(), files.end());
  std::vector<Experiment> experiments;
  for (const std::string& name : names)
    for (Experiment& experiment : find_experiments(known, name)) experiments.push_back(std::move(experiment));
  Interruptible interruptible;
  const ReproduceOptions options{.find_model = [&](const std::string& name) -> std::filesystem::path {
                                   const auto found = models.find(name);
                                   return found == models.end() ? name : found->second;
                                 },
                                 .threads = threads,
                                 .stop = interruptible.flag()};
  Reproductions result;
  {
    const py::gil_scoped_release released;
    result = reproduce(experiments, options);
  }
  interruptible.raise_if_interrupted();
  bool is_well = true;
  for (const CheckedClaim& claim : result.claims) is_well = is_well && !claim.is_surprise();
  return py::make_tuple(result.table(), result.json(), is_well);
}

}  // namespace

void bind_reproduce(py::module_& module) { module.def("reproduce", &make); }
