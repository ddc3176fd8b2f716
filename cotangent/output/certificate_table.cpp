#include "cotangent/output/certificate_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "cotangent/output/row_title.hpp"
#include "cotangent/output/wrapped.hpp"

namespace cotangent {

std::string certificate_table(const Certificate& certificate) {
  constexpr std::size_t kIndent = 6;
  std::string text;
  const auto out = std::back_inserter(text);
  std::size_t width = row_title("momentum").size() + 2;
  for (const auto& finding : certificate.findings) width = std::max(width, finding.structure.size() + 2);
  fmt::format_to(out, "\n  {:<{}}{:<12}{:>10}{:>10}\n", "certificate", width, "verdict", "figure", "rounding");
  const auto paragraph = [&](const char* title, const std::string& words) {
    if (!words.empty()) text += std::string(kIndent, ' ') + wrapped(title + words, kIndent);
  };
  for (const auto& finding : certificate.findings) {
    fmt::format_to(out, "  {:<{}}{:<12}{:>10.2g}{:>10.1g}\n", row_title(finding.structure), width,
                   describe(finding.verdict), finding.figure, finding.level);
    paragraph("claimed: ", finding.claim);
    paragraph("seen: ", finding.evidence);
  }
  if (certificate.error) {
    const ErrorFinding& error = *certificate.error;
    const bool is_known = error.largest == error.largest;
    fmt::format_to(out, "  {:<{}}{:<12}{:>10.2g}\n", "error of the solution", width, is_known ? "estimated" : "unknown",
                   error.largest);
    if (error.final == error.final) paragraph("at the end: ", fmt::format("{:.2g}, by {}", error.final, error.by));
    paragraph("seen: ", error.evidence);
  }
  if (!certificate.is_ended)
    paragraph("", "The run has not reached its end: all of this is about the part that was made.");
  return text;
}

}  // namespace cotangent
