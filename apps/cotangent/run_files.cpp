#include "run_files.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <vector>

#include "reference_choice.hpp"

namespace {

// Links lead to one file; what does not exist yet is told by its folder and its name.
bool is_same(const std::string& a, const std::string& b) {
  std::error_code error;
  if (std::filesystem::equivalent(a, b, error) && !error) return true;
  const auto whole = [&](const std::string& path) {
    return std::filesystem::weakly_canonical(std::filesystem::absolute(path, error), error);
  };
  const std::filesystem::path first = whole(a);
  return !error && first == whole(b) && !error;
}

struct File {
  const char* what;
  std::optional<std::string> path;
};

}  // namespace

void check_files(const RunOptions& options, const std::string& model) {
  std::vector<File> others{{"the model", model}};
  if (is_record(options)) others.push_back({"the reference", options.reference});
  const auto check = [&](const char* option, const std::optional<std::string>& path, const char* what) {
    if (!path) return;
    for (const File& other : others)
      if (other.path && is_same(*path, *other.path))
        options.places.refuse(option, fmt::format("'{}' is the file of {}", *path, other.what), "use another name");
    others.push_back({what, path});
  };
  check("out", options.out, "the trajectory");
  if (options.section) check("section-out", options.section_out, "the section");
  check("checkpoint", options.checkpoint, "the checkpoint");
}
