// SPDX-License-Identifier: Apache-2.0
// Reading words and numbers from one line.
#include "reference/scanner.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>

namespace attestone {
namespace {

bool in_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

}  // namespace

Scanner::Scanner(std::string_view text, std::size_t begin, std::size_t end)
    : text_(text), at_(begin), end_(std::min(end, text.size())) {}

bool Scanner::take(char c) {
  if (peek() != c || done()) return false;
  ++at_;
  return true;
}

void Scanner::expect(char c, const char* what_for) {
  if (!take(c)) fail(at_, std::string("expected '") + c + "' " + what_for);
}

std::string Scanner::word(const char* what) {
  const std::size_t begin = at_;
  while (!done() && in_word(peek())) ++at_;
  if (at_ == begin) fail(begin, std::string("expected ") + what);
  return std::string(text_.substr(begin, at_ - begin));
}

std::string Scanner::until(std::string_view stops) {
  const std::size_t begin = at_;
  while (!done() && stops.find(peek()) == std::string_view::npos) ++at_;
  return std::string(text_.substr(begin, at_ - begin));
}

std::string_view Scanner::token() const { return text_.substr(at_, end_ - at_); }

namespace {

/// Reads a number of type Number from the front of `token`; the count of characters read, 0 if there is none.
template <class Number>
std::pair<std::size_t, std::errc> read(std::string_view token, Number& value) {
  const auto [stop, error] = std::from_chars(token.data(), token.data() + token.size(), value);
  return {static_cast<std::size_t>(stop - token.data()), error};
}

}  // namespace

index Scanner::integer(const char* what, index least) {
  const std::size_t begin = at_;
  index value = 0;
  const auto [length, error] = read(token(), value);
  at_ += length;
  if (error == std::errc::result_out_of_range) fail(begin, std::string(what) + " is too large");
  if (length == 0) fail(begin, std::string("expected ") + what + ", an integer");
  if (value < least) fail(begin, std::string(what) + " is at least " + std::to_string(least));
  return value;
}

std::uint64_t Scanner::unsigned_integer(const char* what) {
  const std::size_t begin = at_;
  std::uint64_t value = 0;
  const auto [length, error] = read(token(), value);
  at_ += length;
  if (error == std::errc::result_out_of_range) fail(begin, std::string(what) + " is at most 2^64 - 1");
  if (length == 0) fail(begin, std::string("expected ") + what + ", an integer from 0 on");
  return value;
}

double Scanner::number(const char* what) {
  const std::size_t begin = at_;
  double value = 0;
  const auto [length, error] = read(token(), value);
  at_ += length;
  if (length == 0) fail(begin, std::string("expected ") + what + ", a number");
  if (error == std::errc::result_out_of_range || !std::isfinite(value))
    fail(begin, std::string(what) + " is not a finite double");
  return value;
}

Place Scanner::place(std::size_t begin) const { return {std::string(text_), begin, at_ > begin ? at_ - begin : 1}; }

void Scanner::fail(std::size_t begin, const std::string& message, const std::string& hint) const {
  throw UserError(message, place(begin), hint);
}

}  // namespace attestone
