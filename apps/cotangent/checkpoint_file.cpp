#include "checkpoint_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>

#include "cotangent/base/fingerprint.hpp"
#include "cotangent/run/options/option_table.hpp"
#include "cotangent/run/options/plan_run.hpp"

using namespace cotangent;

namespace {

constexpr std::string_view kKind = "cotangent checkpoint ";
constexpr std::string_view kFormat = "5";
constexpr std::string_view kChecksum = "checksum ";

// The part of a plan that a run that is resumed takes.
void plan_state(Archive& archive, const char* name, RunPlan& plan) {
  std::vector<std::string> texts;  // NAME=VALUE
  for (const auto& [option, text] : words_of(plan))
    if (find_option(option)->later != Later::anew) texts.push_back(option + "=" + text);
  archive(name, texts);
  if (!archive.is_reading()) return;
  PlanWords words;
  for (const std::string& text : texts)
    words.emplace_back(text.substr(0, text.find('=')), text.substr(text.find('=') + 1));
  ModelSource model = std::move(plan.model);
  try {
    plan = plan_of(words);
  } catch (const std::invalid_argument& error) {
    archive.fail(error.what());
  }
  plan.model = std::move(model);
}

// Initial values that came from files.
void tables_state(Archive& archive, std::vector<InitialTable>& tables) {
  std::vector<std::string> names;
  for (const InitialTable& table : tables) names.push_back(table.name);
  archive("tables", names);
  if (archive.is_reading()) tables.resize(names.size());
  for (std::size_t k = 0; k < names.size(); ++k) {
    tables[k].name = names[k];
    archive("values", tables[k].values);
  }
}

[[noreturn]] void fail_to(const char* what, const std::string& path) {
  throw CheckpointError(fmt::format("cannot {} {}: {}", what, path, std::strerror(errno)));
}

void expect_no_folder(const char* what, const std::string& path) {
  if (std::filesystem::is_directory(path))
    throw CheckpointError(fmt::format("cannot {} {}: it is a folder", what, path));
}

// The reason that it is removed for.
int remove_after(int reason, const std::string& file) {
  std::remove(file.c_str());
  return reason;
}

}  // namespace

void WrittenFile::state(Archive& archive) { archive("path", path, "part", part); }

void RememberedRun::state(Archive& archive) {
  archive("program", program, "model", plan.model.file, "fingerprint", plan.model.fingerprint, "set", plan.model.set);
  tables_state(archive, plan.model.tables);
  archive("variables", variables);
  plan_state(archive, "plan", plan);
  plan_state(archive, "asked", asked);
  archive("record", record, "time", time, "out", out, "section_out", section_out);
}

std::string fingerprint(const std::string& text) {
  Fingerprint hash;
  hash.add(text);
  return fmt::format("{:016x}", hash.value());
}

std::string read_text(const std::string& path) {
  expect_no_folder("read", path);
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (!file || file.bad()) {
    if (errno == 0) errno = EIO;
    fail_to("read", path);
  }
  return text;
}

void write_checkpoint(const std::string& path, const Archive& archive) {
  std::string text = fmt::format("{}{}\n{}", kKind, kFormat, archive.text());
  text += fmt::format("{}{}\n", kChecksum, fingerprint(text));
  const std::string temporary = path + ".tmp";
  std::FILE* file = std::fopen(temporary.c_str(), "wb");
  if (!file) fail_to("write", temporary);
  // On the disk before it takes the place of the one before.
  const bool is_written = std::fwrite(text.data(), 1, text.size(), file) == text.size() && std::fflush(file) == 0 &&
                          fsync(fileno(file)) == 0;
  const int reason = errno;
  const bool is_closed = std::fclose(file) == 0;
  if (!is_written || !is_closed) {
    errno = remove_after(is_written ? errno : reason, temporary);
    fail_to("write", temporary);
  }
  if (std::rename(temporary.c_str(), path.c_str()) == 0) return;
  errno = remove_after(errno, temporary);
  fail_to("write", path);
}

void expect_writable(const std::string& path) {
  if (path.empty()) throw CheckpointError("a checkpoint needs a name");
  expect_no_folder("write", path);
  const std::string temporary = path + ".tmp";
  std::FILE* file = std::fopen(temporary.c_str(), "wb");
  if (!file) fail_to("write", temporary);
  std::fclose(file);
  std::remove(temporary.c_str());
}

bool is_checkpoint(const std::string& path) {
  if (!std::filesystem::is_regular_file(path)) return false;
  std::string begin(kKind.size(), '\0');
  std::ifstream(path, std::ios::binary).read(begin.data(), static_cast<std::streamsize>(begin.size()));
  return begin == kKind;
}

Archive read_checkpoint(const std::string& path) {
  std::string text = read_text(path);
  const auto first = text.find('\n');
  if (!text.starts_with(kKind) || first == text.npos)
    throw CheckpointError(fmt::format("{} is no checkpoint: it does not begin with '{}...'", path, kKind));
  const std::string format = text.substr(kKind.size(), first - kKind.size());
  if (format != kFormat)
    throw CheckpointError(
        fmt::format("{} has the format {} of checkpoints, and this program reads {}", path, format, kFormat));
  const auto last = text.rfind(kChecksum);
  const auto stated = last == text.npos ? std::string() : text.substr(last + kChecksum.size());
  if (last == text.npos || text[last - 1] != '\n' || stated.size() != 17 || stated.back() != '\n')
    throw CheckpointError(fmt::format("{} is not whole: it does not end with its checksum", path));
  text.resize(last);
  if (fingerprint(text) + '\n' != stated)
    throw CheckpointError(fmt::format("{} is damaged: it does not have the checksum that it states", path));
  return Archive(text.substr(first + 1), 1);
}
