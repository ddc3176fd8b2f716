#include "cotangent/integrator/registry/method_name.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <stdexcept>
#include <utility>

namespace cotangent {
namespace {

// @param more other characters that may stand in it.
bool is_word(std::string_view text, std::string_view more) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
           c == '.' || more.find(c) != more.npos;
  });
}

// A text without spaces, each of whose characters knows where it was.
struct Parser {
  std::string_view whole;
  std::string text;
  std::vector<std::size_t> columns;

  explicit Parser(std::string_view given) : whole(given) {
    for (std::size_t k = 0; k < given.size(); ++k) {
      if (given[k] == ' ') continue;
      text += given[k];
      columns.push_back(k + 1);
    }
  }

  [[noreturn]] void refuse(std::size_t begin, std::size_t end, const std::string& why) const {
    const std::string message = fmt::format("'{}' is not the name of a method: {}", whole, why);
    if (begin >= columns.size()) throw MethodNameError(message, whole.empty() ? 1 : whole.size(), 1);
    throw MethodNameError(message, columns[begin], end > begin ? columns[end - 1] + 1 - columns[begin] : 1);
  }

  MethodName parse(std::size_t begin, std::size_t end) const {
    MethodName name;
    std::size_t head = std::min(text.find_first_of("()", begin), end);
    if (head < end) {
      if (text[head] == ')') refuse(head, head + 1, "this parenthesis was not opened");
      const std::size_t close = closing(head, end);
      if (close + 1 < end)
        refuse(close + 1, end, text[close + 1] == ')' ? "this parenthesis was not opened" : "nothing may follow here");
      name.inner = std::make_shared<const MethodName>(parse(head + 1, close));
    }
    for (std::size_t at = begin; at <= head;) {
      const std::size_t next = std::min(text.find(':', at), head);
      const std::string part = text.substr(at, next - at);
      // Names of the model and settings such as every=10: of `project` after the first argument.
      const bool is_name = takes_names(name.word) || (name.word == "project" && !name.arguments.empty());
      if (part.empty()) refuse(at, at, "a word is missing here");
      if (!is_word(part, is_name ? "=+" : "")) refuse(at, next, fmt::format("'{}' is not a word", part));
      if (at == begin) {
        name.word = lower_case(part);
      } else {
        name.arguments.push_back(is_name ? part : lower_case(part));
      }
      at = next + 1;
    }
    return name;
  }

  // The parenthesis that closes the one at `open`.
  std::size_t closing(std::size_t open, std::size_t end) const {
    int depth = 0;
    for (std::size_t k = open; k < end; ++k) {
      depth += text[k] == '(' ? 1 : text[k] == ')' ? -1 : 0;
      if (depth == 0) return k;
    }
    refuse(open, open + 1, "this parenthesis is not closed");
  }
};

using Pair = std::pair<const char*, const char*>;

// Names that are whole.
constexpr Pair kNames[] = {{"verlet", "stormer-verlet:kick"},
                           {"leapfrog", "stormer-verlet:kick"},
                           {"velocity-verlet", "stormer-verlet:kick"},
                           {"position-verlet", "stormer-verlet"},
                           {"yoshida4", "forest-ruth"},
                           {"yoshida6", "compose:6:yoshida(stormer-verlet)"},
                           {"explicit-euler", "euler"},
                           {"forward-euler", "euler"},
                           {"explicit-midpoint", "rk2"},
                           {"rk", "rk4"},
                           {"rk45", "dopri5"},
                           {"ode45", "dopri5"},
                           {"dormand-prince", "dopri5"},
                           {"bulirsch-stoer", "odex"},
                           {"implicit-euler", "radau-iia:1"},
                           {"backward-euler", "radau-iia:1"},
                           {"radau", "radau-iia:3"},
                           {"radau5", "radau-iia:3"},
                           {"trapezoidal", "lobatto-iiia:2"},
                           {"crank-nicolson", "lobatto-iiia:2"},
                           {"dirk", "sdirk4"},
                           {"sdirk", "sdirk4"}};

// Words, before arguments.
constexpr Pair kWords[] = {{"gauss-legendre", "gauss"}, {"radau", "radau-iia"}, {"radauiia", "radau-iia"}};

// A name that no method has.
constexpr Pair kNone[] = {
    {"midpoint", "use implicit-midpoint, or rk2 for the explicit one"},
    {"symplectic-euler", "use stormer-verlet, which costs the same and is symmetric"},
    {"rkf45", "use dopri5, a pair of the same orders"},
    {"rk23", "use dopri5 or, for low accuracy, heun"},
    {"bdf", "use radau-iia:3 for stiff systems"},
    {"ode15s", "use radau-iia:3 for stiff systems"},
    {"ode23s", "use radau-iia:3 for stiff systems"},
    {"rosenbrock", "use radau-iia:3 for stiff systems"},
    {"lsoda", "leave the method out: with `tolerance` a stiff system gets radau-iia:3, others dop853"},
    {"newmark", "use implicit-midpoint, or rattle with constraints"},
};

}  // namespace

bool takes_names(std::string_view word) {
  return word == "projected-midpoint" || word == "discrete-gradient" || word == "mgps" || word == "mrk4";
}

std::string lower_case(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

std::string MethodName::text() const {
  std::string result = word;
  for (const auto& argument : arguments) result += ":" + argument;
  if (inner) result += "(" + inner->text() + ")";
  return result;
}

MethodName parse_method_name(std::string_view text) {
  const Parser parser(text);
  return parser.parse(0, parser.text.size());
}

MethodName without_alias(const MethodName& name) {
  MethodName result = name;
  if (name.inner) result.inner = std::make_shared<const MethodName>(without_alias(*name.inner));
  const bool is_plain = name.arguments.empty() && !name.inner;
  for (const auto& [alias, meant] : kNames)
    if (is_plain && name.word == alias) return parse_method_name(meant);
  for (const auto& [alias, word] : kWords)
    if (name.word == alias) result.word = word;
  for (const auto& [word, instead] : kNone)
    if (name.word == word) throw std::invalid_argument(fmt::format("there is no method '{}': {}", name.word, instead));
  return result;
}

int only_integer(const MethodName& name, int least, int most) {
  const auto refuse_argument = [&]() {
    throw std::invalid_argument(
        fmt::format("there is no method '{}': '{}' takes one number from {} to {}, as in '{}:{}'", name.text(),
                    name.word, least, most, name.word, std::max(least, 2)));
  };
  if (name.inner || name.arguments.size() != 1) refuse_argument();
  const std::string& text = name.arguments.front();
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < least || value > most) refuse_argument();
  return value;
}

void expect_plain(const MethodName& name) {
  if (!name.arguments.empty())
    throw std::invalid_argument(
        fmt::format("there is no method '{}': '{}' takes no arguments", name.text(), name.word));
  expect_no_inner(name);
}

void expect_no_inner(const MethodName& name) {
  if (name.inner)
    throw std::invalid_argument(
        fmt::format("there is no method '{}': '{}' is not made of another method", name.text(), name.word));
}

const MethodName& expect_inner(const MethodName& name) {
  if (!name.inner)
    throw std::invalid_argument(
        fmt::format("'{}' is made of another method: write {}(rattle), say", name.text(), name.text()));
  return *name.inner;
}

}  // namespace cotangent
