#include "run_files.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <vector>

#include "checkpoint_file.hpp"

using namespace cotangent;

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
  std::string path;
};

}  // namespace

void check_files(const RunPlan& plan, const RunWords& words) {
  std::vector<File> others{{"the model", plan.model.file}};
  if (plan.has_record()) others.push_back({"the reference", plan.reference});
  const auto check = [&](const char* option, const std::string& path, const char* what) {
    if (path.empty()) return;
    for (const File& other : others)
      if (is_same(path, other.path))
        words.refuse(option, fmt::format("'{}' is the file of {}", path, other.what), "use another name");
    others.push_back({what, path});
  };
  check("out", plan.out, "the trajectory");
  if (!plan.section.empty()) check("section-out", plan.section_out, "the section");
  check("checkpoint", plan.checkpoint, "the checkpoint");
  if (!words.is_given("checkpoint")) return;
  try {
    expect_writable(plan.checkpoint);
  } catch (const CheckpointError& error) {
    words.refuse("checkpoint", error.what());
  }
}
