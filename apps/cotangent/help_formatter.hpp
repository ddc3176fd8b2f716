#pragma once

#include <CLI/CLI.hpp>
#include <string>

/// The help of commands with long descriptions broken into lines.
class HelpFormatter : public CLI::Formatter {
 public:
  HelpFormatter() { column_width(kColumn); }

  std::string make_option_desc(const CLI::Option* option) const override;

 private:
  static constexpr int kColumn = 28;  // where descriptions begin
};
