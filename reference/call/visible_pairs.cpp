// SPDX-License-Identifier: Apache-2.0
// Asking the mask about every pair once.
#include "reference/call/visible_pairs.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "reference/call/bias.hpp"

namespace attestone {
namespace {

bool differs_by_head(const Problem& problem) {
  const auto kind = problem.score.bias_tensor();
  return problem.mask.differs_by_head() || (kind && (*kind == "full" || *kind == "head"));
}

/// Asks from the query's own position down to the first key, then up to the last.
bool sees_a_key(const Problem& problem, index batch, index head, index query) {
  const index keys = problem.shape.keys;
  const index own = std::clamp<index>(problem.sequence(batch).position(query), -1, keys - 1);
  for (index key = own; key >= 0; --key)
    if (problem.visible({batch, head, query, key})) return true;
  for (index key = own + 1; key < keys; ++key)
    if (problem.visible({batch, head, query, key})) return true;
  return false;
}

/// True if some query sees a key or, if not `that_sees_a_key`, if some query sees none.
bool has_row(const Problem& problem, bool that_sees_a_key) {
  const index heads = problem.mask.differs_by_head() ? problem.shape.heads : 1;
  for (index b = 0; b < problem.shape.batch; ++b)
    for (index h = 0; h < heads; ++h)
      for (index i = 0; i < problem.shape.queries; ++i)
        if (sees_a_key(problem, b, h, i) == that_sees_a_key) return true;
  return false;
}

}  // namespace

bool has_empty_row(const Problem& problem) { return has_row(problem, false); }

bool has_visible_pair(const Problem& problem) { return has_row(problem, true); }

VisiblePairs::VisiblePairs(const Problem& problem)
    : heads_(differs_by_head(problem) ? problem.shape.heads : 1),
      queries_(problem.shape.queries),
      keys_(static_cast<std::size_t>(problem.shape.keys)),
      counts_(static_cast<std::size_t>(problem.shape.batch * heads_ * queries_)),
      bytes_(counts_.size() * keys_) {
  auto next = bytes_.begin();
  for (index b = 0; b < problem.shape.batch; ++b)
    for (index h = 0; h < heads_; ++h)
      for (index i = 0; i < queries_; ++i, next += problem.shape.keys) {
        const Sequence own = problem.sequence(b);
        if (i >= own.queries) continue;
        if (problem.mask.is_full())
          std::fill_n(next, own.keys, std::uint8_t{1});
        else
          for (index j = 0; j < own.keys; ++j) next[j] = problem.mask.allows({own, {b, h, i, j}, problem.seed});
      }
  count_rows();
}

VisiblePairs::VisiblePairs(const Problem& problem, const Inputs& inputs) : VisiblePairs(problem) {
  if (!problem.score.bias_tensor()) return;
  const Bias bias(problem, inputs);
  auto next = bytes_.begin();
  for (index b = 0; b < problem.shape.batch; ++b)
    for (index h = 0; h < heads_; ++h)
      for (index i = 0; i < queries_; ++i)
        for (index j = 0; j < problem.shape.keys; ++j, ++next)
          if (bias.of({b, h, i, j}) == -std::numeric_limits<double>::infinity()) *next = 0;
  count_rows();
}

VisiblePairs::VisiblePairs(const Extents& extents, std::vector<std::uint8_t> bytes)
    : heads_(extents[1]),
      queries_(extents[2]),
      keys_(static_cast<std::size_t>(extents[3])),
      counts_(static_cast<std::size_t>(extents[0] * heads_ * queries_)),
      bytes_(std::move(bytes)) {
  require(bytes_.size() == counts_.size() * keys_, "a mask has a byte for every pair");
  count_rows();
}

void VisiblePairs::count_rows() {
  for (std::size_t row = 0; row < counts_.size(); ++row)
    counts_[row] = std::ranges::count(std::span(bytes_).subspan(row * keys_, keys_), 1);
}

}  // namespace attestone
