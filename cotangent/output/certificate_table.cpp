#include "cotangent/output/certificate_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "cotangent/output/wrapped.hpp"

namespace cotangent {

std::string certificate_table(const Certificate& certificate) {
  std::string text;
  constexpr std::size_t kIndent = 19;
  const auto out = std::back_inserter(text);
  std::size_t width = 17;
  for (const auto& finding : certificate.findings) width = std::max(width, finding.structure.size() + 2);
  fmt::format_to(out, "\n  {:<{}}{:<13}{:>10}  {}\n", "certificate", width, "verdict", "figure", "trend");
  const auto paragraph = [&](const char* title, const std::string& words) {
    if (!words.empty()) text += std::string(kIndent, ' ') + wrapped(title + words, kIndent);
  };
  for (const auto& finding : certificate.findings) {
    fmt::format_to(out, "  {:<{}}{:<13}{:>10.2g}  {}\n", finding.structure, width, describe(finding.verdict),
                   finding.figure, finding.trend ? name(*finding.trend) : "");
    paragraph("claimed: ", finding.claim);
    paragraph("seen: ", finding.evidence);
  }
  if (certificate.error) {
    const ErrorFinding& error = *certificate.error;
    const bool is_known = error.largest == error.largest;
    fmt::format_to(out, "  {:<{}}{:<13}{:>10.2g}  {}\n", "solution error", width, is_known ? "estimated" : "unknown",
                   error.largest, name(error.trend));
    std::string words = is_known ? "by " + error.by : "";
    if (error.final == error.final)
      words += fmt::format("; {:.2g} at the end", error.final);
    else if (is_known && error.lost_at)
      words += fmt::format("; nothing is known at the end, the solution is lost at t = {:.3g}", *error.lost_at);
    if (error.growth.is_known() && !error.growth.at_level && error.trend != Trend::exponential)
      words += fmt::format("; grows as t^{:.2f} +- {:.2f}{}", error.growth.exponent, error.growth.error,
                           error.growth.saturated ? fmt::format(" until t = {:.3g}", error.growth.until) : "");
    paragraph("estimated: ", words);
    paragraph("seen: ", error.evidence);
  }
  if (!certificate.is_complete)
    paragraph("", "the run has not reached its end: all of this is about the part that was made");
  return text;
}

}  // namespace cotangent
