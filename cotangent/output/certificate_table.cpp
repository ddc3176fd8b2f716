#include "cotangent/output/certificate_table.hpp"

#include <fmt/format.h>

#include <iterator>

#include "cotangent/output/wrapped.hpp"

namespace cotangent {

std::string certificate_table(const Certificate& certificate) {
  std::string text;
  constexpr std::size_t kIndent = 19;
  const auto out = std::back_inserter(text);
  fmt::format_to(out, "\n  {:<17}{:<13}{:>10}  {}\n", "certificate", "verdict", "figure", "trend");
  const auto paragraph = [&](const char* title, const std::string& words) {
    if (!words.empty()) text += std::string(kIndent, ' ') + wrapped(title + words, kIndent);
  };
  for (const auto& finding : certificate.findings) {
    fmt::format_to(out, "  {:<17}{:<13}{:>10.2g}  {}\n", finding.structure, describe(finding.verdict), finding.figure,
                   finding.trend ? name(*finding.trend) : "");
    paragraph("claimed: ", finding.claim);
    paragraph("seen: ", finding.evidence);
  }
  if (certificate.error) {
    const ErrorFinding& error = *certificate.error;
    const bool is_known = error.final == error.final;
    fmt::format_to(out, "  {:<17}{:<13}{:>10.2g}  {}\n", "solution error", is_known ? "estimated" : "unknown",
                   error.final, name(error.trend));
    std::string words = is_known ? fmt::format("by {}; {:.2g} at most", error.by, error.largest) : "";
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
