// SPDX-License-Identifier: Apache-2.0
// How a user's mistake is shown, and how the name that was meant is guessed.
#include "reference/user_error.hpp"

#include <algorithm>
#include <cctype>

namespace attestone {
namespace {

/// The text as a terminal can show it in one line: a control character (and what() would end at a zero) becomes '?'.
std::string printable(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return std::iscntrl(c); }, '?');
  return text;
}

/// How many columns UTF-8 takes: every byte but the continuations 10xxxxxx begins a character.
std::size_t columns(std::string_view utf8) {
  constexpr unsigned char continuation_mask = 0xC0, continuation = 0x80;
  return static_cast<std::size_t>(
      std::count_if(utf8.begin(), utf8.end(), [](unsigned char c) { return (c & continuation_mask) != continuation; }));
}

std::string shown(const std::string& message, const Place* place, const std::string& hint) {
  std::string all = printable(message);
  if (place) {
    const std::string_view text = place->text;
    const std::size_t begin = std::min(place->begin, text.size());
    const std::size_t width = columns(text.substr(begin, place->length));
    all += "\n  " + printable(place->text) + "\n  " + std::string(columns(text.substr(0, begin)), ' ') +
           std::string(std::max<std::size_t>(width, 1), '^');
  }
  if (!hint.empty()) all += "\n" + hint;
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

std::string did_you_mean(std::string_view unknown, std::span<const std::string> known) {
  const auto distance = [&](const std::string& name) { return edit_distance(unknown, name); };
  const auto nearest = std::min_element(known.begin(), known.end(),
                                        [&](const auto& a, const auto& b) { return distance(a) < distance(b); });
  if (nearest != known.end() && distance(*nearest) <= std::max<std::size_t>(1, nearest->size() / 3))
    return "did you mean '" + *nearest + "'?";
  std::string list = "known:";
  for (const auto& name : known) list += " " + name;
  return list;
}

}  // namespace attestone
