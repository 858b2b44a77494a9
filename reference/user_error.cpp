// SPDX-License-Identifier: Apache-2.0
// How a user's mistake is shown, and how the name that was meant is guessed.
#include "reference/user_error.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "reference/printable.hpp"

namespace attestone {
namespace {

constexpr unsigned char continuation_mask = 0xC0, continuation = 0x80;

bool continues(unsigned char c) { return (c & continuation_mask) == continuation; }

/// The text as a terminal can show it in one line (and what() would end at a zero).
std::string in_one_line(std::string_view text) {
  std::string all = printable(text, "?");
  std::replace_if(
      all.begin(), all.end(), [](char c) { return c == '\n' || c == '\t'; }, '?');
  return all;
}

// A message holds what a user wrote, which may be longer than anybody reads.
constexpr std::size_t longest_message = 600;  // bytes
constexpr std::size_t widest_place = 240;     // bytes of the line above the carets
constexpr std::size_t longest_list = 1200;    // bytes: every list but that of mutants is shorter

/// The text without its middle if it is too long.
std::string clipped(const std::string& text) {
  if (text.size() <= longest_message) return text;
  std::size_t head = longest_message / 2, tail = text.size() - longest_message / 2;
  while (continues(static_cast<unsigned char>(text[head]))) --head;
  while (continues(static_cast<unsigned char>(text[tail]))) ++tail;
  return text.substr(0, head) + " ... " + text.substr(tail);
}

/// How many columns UTF-8 takes: every byte but the continuations 10xxxxxx begins a character.
std::size_t columns(std::string_view utf8) {
  return static_cast<std::size_t>(
      std::count_if(utf8.begin(), utf8.end(), [](unsigned char c) { return !continues(c); }));
}

/// The place in its line, the carets in the next; of a long line the part around the place.
std::string pointed_at(const Place& place) {
  std::string_view text = place.text;
  std::size_t begin = std::min(place.begin, text.size());
  std::string before, behind;
  if (text.size() > widest_place) {
    std::size_t from = begin > widest_place / 2 ? begin - widest_place / 2 : 0;
    while (from < begin && continues(static_cast<unsigned char>(text[from]))) ++from;
    if (from > 0) before = "... ";
    text.remove_prefix(from), begin -= from;
    if (text.size() > widest_place) {
      std::size_t length = widest_place;
      while (length > begin && continues(static_cast<unsigned char>(text[length]))) --length;
      text = text.substr(0, length), behind = " ...";
    }
  }
  const std::string head = before + in_one_line(text.substr(0, begin));
  const std::string wrong = in_one_line(text.substr(begin, place.length));
  const std::string tail = in_one_line(text.substr(std::min(text.size(), begin + place.length)));
  return "\n  " + head + wrong + tail + behind + "\n  " + std::string(columns(head), ' ') +
         std::string(std::max<std::size_t>(columns(wrong), 1), '^');
}

std::string shown(const std::string& message, const Place* place, const std::string& hint) {
  std::string all = clipped(in_one_line(message));
  if (place) all += pointed_at(*place);
  if (!hint.empty()) all.append("\n").append(printable(hint, "?"));
  return all;
}

/// The least number of insertions, deletions, replacements and swaps of neighbours that turn `a` into `b` (optimal
/// string alignment).
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> distance(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) distance[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) distance[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i)
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = distance[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      distance[i][j] = std::min({distance[i - 1][j] + 1, distance[i][j - 1] + 1, replaced});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) distance[i][j] = std::min(distance[i][j], distance[i - 2][j - 2] + 1);
    }
  return distance[a.size()][b.size()];
}

}  // namespace

UserError::UserError(const std::string& message, const std::string& hint)
    : std::runtime_error(shown(message, nullptr, hint)) {}

UserError::UserError(const std::string& message, const Place& place, const std::string& hint)
    : std::runtime_error(shown(message, &place, hint)) {}

UserError UserError::within(const std::string& where) const {
  UserError error("");
  static_cast<std::runtime_error&>(error) = std::runtime_error(clipped(in_one_line(where)) + ": " + what());
  return error;
}

std::string did_you_mean(std::string_view unknown, std::span<const std::string> known) {
  // A word much longer than every name is none of them; comparing would only take time.
  constexpr std::size_t longest_slip = 64;
  const auto distance = [&](const std::string& name) {
    return unknown.size() > name.size() + longest_slip ? unknown.size() : edit_distance(unknown, name);
  };
  const auto nearest = std::min_element(known.begin(), known.end(),
                                        [&](const auto& a, const auto& b) { return distance(a) < distance(b); });
  if (nearest != known.end() && distance(*nearest) <= std::max<std::size_t>(1, nearest->size() / 3))
    return "did you mean '" + *nearest + "'?";
  std::string list = "known:";
  for (auto name = known.begin(); name != known.end(); ++name) {
    if (list.size() + name->size() > longest_list) return list + fmt::format(" and {} more", known.end() - name);
    list += " " + *name;
  }
  return list;
}

}  // namespace attestone
