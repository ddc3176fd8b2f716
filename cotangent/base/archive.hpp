#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "cotangent/base/dual.hpp"
#include "cotangent/base/scalar.hpp"

namespace cotangent {

class Archive;

/// Types that have a state: void state(Archive&), called for writing and for reading.
template <class X>
concept HasState = requires(X& x, Archive& archive) {
  x.state(archive);
};

namespace detail {

template <class X>
inline constexpr bool is_vector = false;
template <class X>
inline constexpr bool is_vector<std::vector<X>> = true;
template <class X>
inline constexpr bool is_list = false;
template <class X>
inline constexpr bool is_list<std::vector<X>> = HasState<X> || is_vector<X>;
template <class X>
inline constexpr bool is_optional_object = false;
template <class X>
inline constexpr bool is_optional_object<std::optional<X>> = HasState<X>;

}  // namespace detail

/// A text that is not what its reader expects, with the line.
class ArchiveError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The state of objects, as a text: written by the same lines of code that read it, so that the two cannot differ.
///
///   void state(Archive& archive) {
///     archive("steps", steps_, "point", point_, "watch", watch_);
///   }
///
///   steps 12
///   point 3 0x1p+0 0x1.8p+1 -0x1p-4
///   watch {
///     ...
///   }
///
/// One line for each name. Numbers are hexadecimal, in which they are exact; vectors begin with their size; text is in
/// quotes; what may be absent begins with yes or no. Objects with a state of their own are between braces, and so are
/// lists of them.
class Archive {
 public:
  /// For writing.
  Archive() = default;
  /// For reading. @param lines_before of the file, for messages.
  explicit Archive(std::string text, std::size_t lines_before = 0)
      : text_(std::move(text)), line_(lines_before), is_reading_(true) {}

  bool is_reading() const { return is_reading_; }
  const std::string& text() const { return text_; }

  /// Writes x, or reads it; then what follows, by names and values. @throws ArchiveError where something else is found.
  template <class X, class... More>
  void operator()(std::string_view name, X& x, More&&... more) {
    if constexpr (detail::is_list<X>) {
      section(name, [&] {
        std::size_t count = x.size();
        (*this)("count", count);
        if (is_reading()) resize(x, count);
        for (auto& item : x) (*this)("item", item);
      });
    } else if constexpr (detail::is_optional_object<X>) {
      section(name, [&] {
        bool is_there = x.has_value();
        (*this)("is_there", is_there);
        settle(x, is_there);
        if (x) x->state(*this);
      });
    } else if constexpr (HasState<X>) {
      section(name, [&] { x.state(*this); });
    } else {
      begin_line(name);
      value(x);
      end_line();
    }
    if constexpr (sizeof...(more) > 0) (*this)(more...);
  }

  /// The lines that f writes or reads, between braces.
  template <class F>
  void section(std::string_view name, const F& f) {
    begin_section(name);
    f();
    end_section();
  }

  /// Reading goes on with the next object or value of that name, at the outer level.
  void skip_to(std::string_view name);

  /// A text that was read has come to its end. @throws ArchiveError if not.
  void expect_end();

  /// @throws ArchiveError with the line that was read last.
  [[noreturn]] void fail(const std::string& what) const;

 private:
  void begin_line(std::string_view name);
  void end_line();
  void begin_section(std::string_view name);
  void end_section();
  std::string_view next_line();
  std::string_view next_word();
  void put(std::string_view word);

  template <class T, class Read, class Write>
  void number(T& x, const Read& read, const Write& write, const char* format);
  void value(double& x);
  void value(Quad& x);
  void value(bool& x);
  void value(std::string& x);
  void integer(std::int64_t& x);

  template <class X>
  requires(std::is_integral_v<X> || std::is_enum_v<X>) void value(X& x) {
    auto whole = static_cast<std::int64_t>(x);
    integer(whole);
    x = static_cast<X>(whole);
    if (static_cast<std::int64_t>(x) != whole) fail("the number " + std::to_string(whole) + " is too large");
  }
  template <class T, int K>
  void value(Dual<T, K>& x) {
    value(x.value);
    for (int k = 0; k < K; ++k) value(x.d[k]);
  }
  template <int W>
  void value(Pack<W>& x) {
    for (int i = 0; i < W; ++i) value(x[i]);
  }
  template <class X>
  void value(std::vector<X>& x) {
    std::size_t size = x.size();
    value(size);
    if (is_reading()) resize(x, size);
    for (X& entry : x) value(entry);
  }
  template <class X>
  void value(std::optional<X>& x) {
    bool is_there = x.has_value();
    value(is_there);
    settle(x, is_there);
    if (x) value(*x);
  }
  template <class X>
  void settle(std::optional<X>& x, bool is_there) const {
    if (is_reading() && !is_there) x.reset();
    if (is_reading() && is_there) x.emplace();
  }

  template <class X>
  void resize(std::vector<X>& x, std::size_t size) const {
    if (size > text_.size()) fail("the size " + std::to_string(size) + " is larger than the file");
    x.resize(size);
  }

  std::string text_;
  std::size_t at_ = 0;     // where the next line begins
  std::size_t line_ = 0;   // lines so far
  std::string_view rest_;  // of the line that is being read
  int depth_ = 0;
  bool is_reading_ = false;
};

}  // namespace cotangent
