// SPDX-License-Identifier: Apache-2.0
// Drawing the rows of two masks that differ.
#include <algorithm>
#include <fmt/format.h>

#include "conformance/diagnosis/probes/effective_mask.hpp"

namespace attestone::inline conformance {
namespace {

// A terminal shows two masks of so many keys side by side, and a reader takes in so many rows.
constexpr index widest = 48;
constexpr std::size_t tallest = 12;

/// The keys that are drawn, first and past the last: where the differences begin, if not all keys have room.
std::pair<index, index> drawn_keys(const MaskReadOut& read, const std::vector<index>& queries) {
  const index keys = std::ssize(read.right.front());
  if (keys <= widest) return {0, keys};
  index first = keys;
  for (const index i : queries) {
    const auto& used = read.used[static_cast<std::size_t>(i)];
    const auto& right = read.right[static_cast<std::size_t>(i)];
    const auto differs = std::mismatch(used.begin(), used.end(), right.begin()).first - used.begin();
    first = std::min<index>(first, differs);
  }
  first = std::clamp<index>(first - widest / 4, 0, keys - widest);
  return {first, first + widest};
}

std::string drawn(const std::vector<bool>& keys, index first, index last) {
  std::string line;
  for (index j = first; j < last; ++j) line += keys[static_cast<std::size_t>(j)] ? '#' : '.';
  return line;
}

}  // namespace

bool MaskReadOut::misses_keys() const {
  for (std::size_t i = 0; i < used.size(); ++i)
    for (std::size_t j = 0; j < used[i].size(); ++j)
      if (right[i][j] && !used[i][j]) return true;
  return false;
}

std::vector<index> MaskReadOut::differing_queries() const {
  std::vector<index> all;
  for (std::size_t i = 0; i < used.size(); ++i)
    if (used[i] != right[i]) all.push_back(static_cast<index>(i));
  return all;
}

std::vector<std::string> MaskReadOut::picture() const {
  const std::vector<index> queries = differing_queries();
  if (queries.empty()) return {};
  const std::size_t shown = std::min(queries.size(), tallest);
  const index keys = std::ssize(right.front());
  const auto [first, last] = drawn_keys(*this, {queries.begin(), queries.begin() + static_cast<std::ptrdiff_t>(shown)});
  std::string title = fmt::format("{} of {} queries of batch {}, head {} use other keys than they should",
                                  queries.size(), used.size(), batch, head);
  if (last - first < keys) title += fmt::format("; keys {} to {} of {}", first, last - 1, keys);
  std::vector<std::string> lines{title + ":"};
  const auto width = static_cast<std::size_t>(std::max<index>(last - first, 6));
  lines.push_back(fmt::format("  {:<6} {:<{}}   {}", "query", "should", width, "uses"));
  for (std::size_t n = 0; n < shown; ++n) {
    const auto row = static_cast<std::size_t>(queries[n]);
    lines.push_back(fmt::format("  {:<6} {:<{}}   {}", fmt::format("q{}", queries[n]), drawn(right[row], first, last),
                                width, drawn(used[row], first, last)));
  }
  if (shown < queries.size()) lines.push_back(fmt::format("  ... {} further queries differ", queries.size() - shown));
  return lines;
}

}  // namespace attestone::inline conformance
