// SPDX-License-Identifier: Apache-2.0
// Reads small words from one line of text and points at what is wrong with it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "reference/shape.hpp"
#include "reference/user_error.hpp"

namespace attestone {

/// A position in a text that only moves forward. Everything that cannot be read throws a UserError with a caret.
class Scanner {
 public:
  explicit Scanner(std::string_view text, std::size_t begin = 0, std::size_t end = std::string_view::npos);

  bool done() const { return at_ >= end_; }
  char peek() const { return done() ? '\0' : text_[at_]; }
  std::size_t position() const { return at_; }
  void skip_to(std::size_t position) { at_ = position; }

  /// Takes the character if it comes next.
  bool take(char c);
  void expect(char c, const char* what_for);
  /// Letters, digits and underscores; at least one.
  std::string word(const char* what);
  /// Everything up to one of `stops` or the end.
  std::string until(std::string_view stops);
  /// A decimal integer, at least `least`.
  index integer(const char* what, index least);
  std::uint64_t unsigned_integer(const char* what);
  /// A finite decimal number.
  double number(const char* what);

  /// text[begin, position()), or the next character if that is empty.
  Place place(std::size_t begin) const;
  /// Throws a UserError with the caret under place(begin).
  [[noreturn]] void fail(std::size_t begin, const std::string& message, const std::string& hint = {}) const;

 private:
  std::string_view token() const;

  std::string_view text_;
  std::size_t at_, end_;
};

}  // namespace attestone
