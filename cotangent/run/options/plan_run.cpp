#include "cotangent/run/options/plan_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <set>
#include <utility>

#include "cotangent/expr/algorithm.hpp"
#include "cotangent/integrator/registry/method_name.hpp"
#include "cotangent/model/reader.hpp"
#include "cotangent/run/options/option_table.hpp"

namespace cotangent {
namespace {

// Numbers of the command line, which may be expressions in the parameters of the model: "pi/100", "2*l".
class NumberReader {
 public:
  NumberReader(const RunWords& words, const Model& model) : words_(words), model_(model) {}

  /// Expressions are read by the model; its refusals are those of the option, in whose value `before` characters come
  /// before them.
  Expr expression(const std::string& option, const std::string& text, std::size_t before = 0) const {
    try {
      return read_expression(model_, text);
    } catch (const ModelError& error) {
      words_.refuse(option, error.message(), error.suggestion(), {before + error.column(), error.length()});
    }
  }

  double real(const std::string& option, const std::string& text, std::size_t before = 0) const {
    char* end = nullptr;
    double value = std::strtod(text.c_str(), &end);
    if (text.empty()) words_.refuse(option, "a number is missing");
    if (*end != '\0') value = static_cast<double>(constant(option, text, before));
    if (!std::isfinite(value)) words_.refuse(option, "not a finite number");
    return value;
  }

  std::int64_t integer(const std::string& option, const std::string& text) const {
    const double value = real(option, text);
    if (value != std::floor(value) || std::abs(value) > 0x1p53) words_.refuse(option, "not an integer");
    return static_cast<std::int64_t>(value);
  }

  /// Numbers that are not negative, separated by commas, as decimals.
  std::string reals(const std::string& option, const std::string& text) const {
    std::vector<std::string> numbers;
    for (std::size_t begin = 0; begin <= text.size();) {
      const std::size_t end = next_comma(text, begin);
      const double value = real(option, text.substr(begin, end - begin), begin);
      if (value < 0)
        words_.refuse(option, fmt::format("must be 0 or more, not {}", value), find_option(option)->help,
                      {begin + 1, end - begin});
      numbers.push_back(fmt::format("{}", value));
      begin = end + 1;
    }
    if (numbers.empty() || numbers.size() > 2) words_.refuse(option, "one number or two are expected");
    return fmt::format("{}", fmt::join(numbers, ","));
  }

 private:
  Quad constant(const std::string& option, const std::string& text, std::size_t before) const {
    return evaluate<Quad>(expression(option, text, before), [&](SymbolId symbol, auto) -> Quad {
      for (const auto& parameter : model_.parameters)
        if (parameter.symbol == symbol) return parameter.value;
      words_.refuse(option, fmt::format("'{}' is not a parameter", model_.graph->symbol(symbol).name),
                    "numbers of a run may use parameters only");
    });
  }

  const RunWords& words_;
  const Model& model_;
};

// Sets an option, which is to blame for what cannot be set.
void set(RunPlan& plan, const Option& option, const RunValue& value, const RunWords& words) {
  words.blame(option.name, [&] {
    try {
      option.set(plan, value);
    } catch (const MethodNameError& error) {
      words.refuse(option.name, error.what(), {}, {error.column(), error.length()});
    }
  });
}

// The value of the command line.
RunValue given_value(const Option& option, const RunWords& words, const Model& model) {
  const std::string& text = *words.text(option.name);
  const NumberReader read(words, model);
  if (option.kind == RunKind::real) return read.real(option.name, text);
  if (option.kind == RunKind::integer) return read.integer(option.name, text);
  if (option.kind == RunKind::reals) return read.reals(option.name, text);
  return option.kind == RunKind::flag ? RunValue(true) : text;
}

// A value of [run], if it is one of the right kind; the reader of models has looked at numbers.
RunValue model_value(const Option& option, const RunValue& value, const RunWords& words, const Model& model) {
  const RunKind kind = option.kind;
  if (kind == RunKind::real || kind == RunKind::integer) return value;
  const bool is_flag = kind == RunKind::flag;
  if (is_flag ? !std::holds_alternative<bool>(value) : !std::holds_alternative<std::string>(value))
    words.refuse(option.name,
                 fmt::format("'{}' in [run] must be {}", option.name, is_flag ? "true or false" : "a string"));
  return kind == RunKind::reals ? NumberReader(words, model).reals(option.name, std::get<std::string>(value)) : value;
}

[[noreturn]] void refuse_key(const std::string& key, const Location& place) {
  const auto& later = later_options();
  if (std::find(later.begin(), later.end(), key) != later.end())
    throw ModelError(place, fmt::format("'{}' in [run] is not supported by this version yet", key));
  std::vector<std::string> names;
  for (const Option& option : options()) names.push_back(option.name);
  const UnknownName unknown("option", key, names);
  throw ModelError(place, unknown.message() + " for [run]", unknown.suggestion());
}

// Two ways to say one thing: that of the command line takes the place of the other one elsewhere.
constexpr std::pair<const char*, const char*> kAlternatives[]{{"every", "sample"}, {"step", "tolerance"}};

// The option of the command line that takes the place of this one.
std::optional<std::string> replacement_of(const std::string& option, const RunWords& words) {
  if (words.is_on_command_line(option)) return std::nullopt;
  for (const auto& [one, other] : kAlternatives)
    for (const auto& [replaced, by] : {std::pair(one, other), std::pair(other, one)})
      if (option == replaced && words.is_on_command_line(by)) return by;
  return std::nullopt;
}

// With sorted lists.
RunPlan in_order(RunPlan plan) {
  const auto sort = [](std::vector<std::string>& names) {
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
  };
  sort(plan.project_invariants);
  sort(plan.periodogram);
  if (plan.monitor) sort(*plan.monitor);
  return plan;
}

// The words that make a run what it is. A record is known by what stands in it.
PlanWords fixed_words(RunPlan plan) {
  if (plan.has_record()) plan.reference = "a record";
  PlanWords words = words_of(in_order(std::move(plan)));
  std::erase_if(words, [](const auto& word) { return find_option(word.first)->later != Later::fixed; });
  return words;
}

}  // namespace

Expr read_option_expression(const RunWords& words, const Model& model, const std::string& option,
                            const std::string& text) {
  return NumberReader(words, model).expression(option, text);
}

double read_option_number(const RunWords& words, const Model& model, const std::string& option, const std::string& text,
                          std::size_t before) {
  return NumberReader(words, model).real(option, text, before);
}

RunPlan plan_run(RunWords& words, const Model& model, Notes& notes) {
  std::set<std::string> replaced;
  for (const auto& [key, place] : model.run_places) {
    if (!find_option(key)) refuse_key(key, place.key);
    if (const auto by = replacement_of(key, words)) {
      replaced.insert(key);
      notes.push_back(fmt::format("{} takes the place of '{}' in [run]", words.spell(*by, *words.text(*by)), key));
    } else {
      words.in_model(key, place);
    }
  }
  RunPlan plan;
  for (const Option& option : options()) {
    const auto in_model = model.run.find(option.name);
    if (words.is_on_command_line(option.name)) {
      set(plan, option, given_value(option, words, model), words);
    } else if (in_model != model.run.end() && !replaced.contains(option.name)) {
      set(plan, option, model_value(option, in_model->second, words, model), words);
    }
  }
  return plan;
}

bool is_same_run(RunPlan a, RunPlan b, const Model& model) {
  const auto form = [&](const std::string& text) {
    return text.empty() ? text : to_string(read_expression(model, text));
  };
  for (const auto text : {&RunPlan::section, &RunPlan::step_density})
    if (a.*text != b.*text && form(a.*text) == form(b.*text)) b.*text = a.*text;
  return fixed_words(std::move(a)) == fixed_words(std::move(b));
}

RunPlan plan_resumed_run(RunWords& words, const Model& model, const RunPlan& before, const RunPlan& asked) {
  RunPlan plan = before;
  // Whether a plan remains what it is with a value.
  const auto is_same_with = [&](const RunPlan& base, const Option& option, const RunValue& value) {
    RunPlan with = base, without = base;
    set(with, option, value, words);
    Notes ignored;
    settle_words(with, words, model, ignored);
    settle_words(without, words, model, ignored);
    return is_same_run(with, without, model);
  };
  if (replacement_of("every", words)) plan.every.reset();
  if (replacement_of("sample", words)) plan.sample.reset();
  for (const Option& option : options()) {
    if (option.later != Later::anew && option.text(asked) != option.text(RunPlan())) words.in_checkpoint(option.name);
  }
  for (const Option& option : options()) {
    const auto in_model = model.run.find(option.name);
    if (!words.is_on_command_line(option.name)) {
      if (option.later == Later::anew && in_model != model.run.end()) {
        words.in_model(option.name, model.run_places.at(option.name));
        set(plan, option, model_value(option, in_model->second, words, model), words);
      }
      continue;
    }
    const RunValue value = given_value(option, words, model);
    if (option.later == Later::fixed && !is_same_with(asked, option, value) && !is_same_with(before, option, value)) {
      const std::string text = option.text(in_order(before));
      const std::string what = text.empty() ? "the run that is resumed was made without it"
                                            : fmt::format("the run that is resumed has '{}'", text);
      const std::string advice = "leave it out, or start a new run";
      if (option.kind == RunKind::flag)
        throw OptionError(fmt::format("{}: {}; {}", words.spell(option.name), what, advice));
      words.refuse(option.name, what, advice);
    }
    // A record may have been moved.
    RunPlan with = plan;
    set(with, option, value, words);
    if (option.later != Later::fixed || (plan.has_record() && with.has_record())) plan = with;
  }
  return plan;
}

PlanWords words_of(const RunPlan& plan) {
  PlanWords all;
  const RunPlan usual;
  for (const Option& option : options())
    if (const std::string text = option.text(plan); !text.empty() && text != option.text(usual))
      all.emplace_back(option.name, text);
  return all;
}

RunPlan plan_of(const PlanWords& words) {
  RunPlan plan;
  for (const auto& [name, text] : words) {
    const Option* option = find_option(name);
    if (!option) throw OptionError(fmt::format("there is no option '{}'", name));
    option->set(plan, value_of(*option, text));
  }
  return plan;
}

}  // namespace cotangent
