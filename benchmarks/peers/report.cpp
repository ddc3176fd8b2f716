#include "benchmarks/peers/report.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "benchmarks/peers/plot.hpp"

namespace cotangent::peers {
namespace {

bool is_ours(const std::string& method) { return method.starts_with("cotangent"); }

// The fastest that is good enough, among those that satisfy a condition; nothing if there is none.
template <class Condition>
const Measured* fastest(const Result& result, const Condition& condition) {
  const Measured* best = nullptr;
  for (const Measured& each : result.measured)
    if (each.error <= result.task.wanted && condition(each) && (!best || each.time.seconds < best->time.seconds))
      best = &each;
  return best;
}

std::string milliseconds(double seconds) { return fmt::format("{:.3g}", seconds * 1e3); }

std::string processor() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);)
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  return "unknown";
}

std::string work_and_error(const Result& result) {
  std::string page = fmt::format("| method | setting | error | ms | noise |\n| --- | --- | --- | --- | --- |\n");
  for (const Measured& each : result.measured)
    page += fmt::format("| {} | {:g} | {:.1e} | {} | {:.0f} % |\n", each.method, each.setting, each.error,
                        milliseconds(each.time.seconds), each.time.noise * 100);
  return page;
}

void write(const std::filesystem::path& file, const std::string& text) {
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file) << text;
}

}  // namespace

std::string ratio_table(const std::vector<Result>& results) {
  std::string head = "| |", rule = "| --- |", wanted = "| error at the end, at most |", peer = "| fastest peer |",
              time = "| its time, ms |";
  std::set<std::string> methods;
  for (const Result& result : results) {
    head += fmt::format(" {} |", result.task.name);
    rule += " --- |";
    wanted += fmt::format(" {:.0e} |", result.task.wanted);
    const Measured* best = fastest(result, [](const Measured& each) { return !is_ours(each.method); });
    peer += fmt::format(" {} |", best ? best->method : "");
    time += fmt::format(" {} |", best ? milliseconds(best->time.seconds) : "");
    for (const Measured& each : result.measured) methods.insert(each.method);
  }
  std::string table = head + "\n" + rule + "\n" + wanted + "\n" + peer + "\n" + time + "\n";
  for (const bool ours : {true, false}) {
    for (const std::string& method : methods) {
      if (is_ours(method) != ours) continue;
      std::string row = fmt::format("| {} |", method);
      for (const Result& result : results) {
        const Measured* best = fastest(result, [](const Measured& each) { return !is_ours(each.method); });
        const Measured* mine = fastest(result, [&](const Measured& each) { return each.method == method; });
        row += best && mine ? fmt::format(" {:.2f} |", mine->time.seconds / best->time.seconds) : " |";
      }
      table += row + "\n";
    }
  }
  return table;
}

std::string target_table(const std::vector<Target>& targets) {
  std::string table = "| target | at most | measured | |\n| --- | --- | --- | --- |\n";
  for (const Target& each : targets)
    table += fmt::format("| {} | {:g} | {:.2f} ± {:.0f} % | {} |\n", each.what, each.most, each.figure,
                         each.noise * 100, each.figure <= each.most ? "met" : "not met");
  return table;
}

void write_page(const std::string& docs, const std::vector<Result>& results, const std::vector<Target>& targets,
                const std::vector<std::string>& absent) {
  std::string page = fmt::format(
      "# Benchmarks\n\nWritten by `./dev bench peers`, on one thread of an {}. Every figure is processor time of the "
      "integration alone: the median of repetitions\nthat were made in turn; the noise is half the distance of their "
      "quartiles. Errors are the largest of a coordinate or a momentum at the end, against\nreferences in quad "
      "precision. Code that the program makes while it runs exists: a run is made again and again, as the runs of "
      "peers "
      "are.\n\nPeers have right-hand sides by hand that cost O(N), and projections after every step where their "
      "stepper lets them; see `benchmarks/peers`.\n",
      processor());
  for (const std::string& each : absent) page += fmt::format("\n{} is not installed and was left out.\n", each);
  page +=
      "\n## Time to an error, relative to the fastest peer\n\nBelow 1 the program is faster than all of them. Empty: "
      "no setting that was tried gets there.\n\n" +
      ratio_table(results);
  if (!targets.empty())
    page += "\n## Targets\n\nRatios unless they have a unit; see [performance.md](performance.md).\n\n" +
            target_table(targets);
  page += "\n## Work against error\n";
  for (const Result& result : results) {
    const std::string file = "benchmarks/" + result.task.name + ".svg";
    write(std::filesystem::path(docs) / file, plot(result.task.title, result.measured));
    page += fmt::format(
        "\n### {}: {}\n\n![work against error]({})\n\nThe reference is known to {:.0e}.\n\n"
        "<details><summary>All settings</summary>\n\n{}\n</details>\n",
        result.task.name, result.task.title, file, result.reference_error, work_and_error(result));
    for (const std::string& each : result.left_out) page += "\nLeft out: " + each + ".\n";
  }
  write(std::filesystem::path(docs) / "benchmarks.md", page);
}

}  // namespace cotangent::peers
