#include "checkpoint_file.hpp"

#include <fmt/format.h>

#include <cmath>
#include <string_view>

#include "cotangent/base/fingerprint.hpp"
#include "cotangent/run/options/option_table.hpp"
#include "cotangent/run/options/plan_run.hpp"

using namespace cotangent;

namespace {

const std::string& kKind = kCheckpointKind.begin;
constexpr std::string_view kFormat = "6";
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

}  // namespace

void WrittenFile::state(Archive& archive) { archive("path", path, "part", part); }

void RememberedRun::state(Archive& archive) {
  archive("program", program, "model", plan.model.file, "fingerprint", plan.model.fingerprint, "set", plan.model.set);
  tables_state(archive, plan.model.tables);
  archive("variables", variables);
  plan_state(archive, "plan", plan);
  plan_state(archive, "asked", asked);
  archive("record", record, "time", time, "out", out, "section_out", section_out);
  if (!std::isfinite(time)) archive.fail("the time is not finite");
}

std::string fingerprint(const std::string& text) {
  Fingerprint hash;
  hash.add(text);
  return fmt::format("{:016x}", hash.value());
}

std::string checkpoint_text(const Archive& archive) {
  std::string text = fmt::format("{}{}\n{}", kKind, kFormat, archive.text());
  return text + fmt::format("{}{}\n", kChecksum, fingerprint(text));
}

bool is_checkpoint(const std::string& path) {
  std::string begin(kKind.size(), '\0');
  open_ordinary(path).read(begin.data(), static_cast<std::streamsize>(begin.size()));
  return begin == kKind;
}

Archive read_checkpoint(const std::string& path) {
  std::string text = read_text(path, kLimits.data_bytes, kKind);
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
