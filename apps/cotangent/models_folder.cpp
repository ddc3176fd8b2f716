#include <algorithm>

#include "commands.hpp"
#include "cotangent/base/unknown_name.hpp"
#include "cotangent/model/source/source.hpp"

namespace fs = std::filesystem;

// A folder with ready files: beside the installed program, in the source tree, or here.
static fs::path ready_folder(const fs::path& installed, const fs::path& source) {
  std::error_code ignored;
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored);
  for (const auto& folder : {program.parent_path() / installed, source})
    if (fs::is_directory(folder, ignored)) return folder;
  return source.filename();
}

static fs::path models_folder() { return ready_folder(COTANGENT_INSTALLED_MODELS, COTANGENT_MODELS_DIR); }

std::vector<std::pair<std::string, fs::path>> experiment_files() {
  const fs::path folder =
      ready_folder(fs::path(COTANGENT_INSTALLED_MODELS).parent_path() / "experiments", COTANGENT_EXPERIMENTS_DIR);
  std::vector<std::pair<std::string, fs::path>> files;
  std::error_code ignored;
  for (const auto& entry : fs::recursive_directory_iterator(folder, ignored))
    if (entry.path().extension() == ".toml")
      files.emplace_back(fs::relative(entry.path(), folder).replace_extension().generic_string(), entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<fs::path> model_files() {
  std::vector<fs::path> files;
  std::error_code ignored;
  for (const auto& entry : fs::recursive_directory_iterator(models_folder(), ignored))
    if (entry.path().extension() == ".toml") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

fs::path find_model(const std::string& name) {
  fs::path given = name;
  std::error_code ignored;
  if (fs::exists(given, ignored) || given.has_parent_path() || given.has_extension()) return given;
  std::vector<std::string> names;
  for (const auto& file : model_files()) {
    names.push_back(file.stem().string());
    if (names.back() == name) return file;
  }
  const cotangent::UnknownName unknown("file or ready model", name, names);
  throw cotangent::ModelError(name, unknown.message(), unknown.suggestion());
}
