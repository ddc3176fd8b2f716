#pragma once

#include <optional>
#include <string>

#include "commands.hpp"
#include "cotangent/base/replaced_file.hpp"
#include "cotangent/report/page_data.hpp"
#include "cotangent/run/options/plan_run.hpp"

/// The file of a page, if one was asked for: it is refused, or locked, before anything else is done.
class PageFile {
 public:
  /// @param file its name; empty for none. @param kind the command. @param command as it was typed.
  /// @throws OptionError
  PageFile(const std::string& file, const char* kind, const std::string& command)
      : origin_{kind, "cotangent " COTANGENT_VERSION, command} {
    if (file.empty()) return;
    cotangent::RunWords words{flag};
    words.on_command_line("report", file);
    cotangent::check_report(file, words);
    file_.emplace(file, cotangent::kPageKind);
  }

  explicit operator bool() const { return file_.has_value(); }
  const cotangent::PageOrigin& origin() const { return origin_; }
  void write(const cotangent::PageData& data) { file_->replace(cotangent::page_with(data.text())); }

 private:
  cotangent::PageOrigin origin_;
  std::optional<cotangent::ReplacedFile> file_;
};
