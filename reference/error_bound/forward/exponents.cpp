// SPDX-License-Identifier: Apache-2.0
// Running maxima of tiles, forwards and backwards.
#include "reference/error_bound/forward/exponents.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "reference/error_bound/forward/rescalings.hpp"

namespace attestone {
namespace {

/// Errors that repeat in r tiles weigh sqrt(r) times what quadrature takes them for. Up to here lambda = 9 leaves more
/// than three standard deviations, and rows in random order stay below it.
constexpr index harmless_rescalings = 8;

/// Counts the raises of an online softmax over all keys, in either order.
index raises(const RowScores& scores, index tile_keys) {
  WeightStage weight;
  weight.tile_keys = tile_keys;
  return count_rescalings({scores.keys, scores.score, scores.score}, weight, {}).total;
}

/// Score minus the maximum of all keys up to the end of its own tile.
std::vector<double> below_running_maximum(std::vector<double> score, const std::vector<index>& tile) {
  double running = -std::numeric_limits<double>::infinity();
  for (std::size_t from = 0, to = 0; from < score.size();) {
    for (; to < score.size() && tile[to] == tile[from]; ++to) running = std::max(running, score[to]);
    for (; from < to; ++from) score[from] -= running;
  }
  return score;
}

template <class List>
List reversed(List list) {
  std::reverse(list.begin(), list.end());
  return list;
}

}  // namespace

double exponents_recur(const RowScores& scores, const WeightStage& weight, const MergeStage& merge) {
  const double parts = merge.merges() ? static_cast<double>(merge.parts) : 1;
  const bool in_these_orders = weight.visits <= Visits::either_way && (!merge.merges() || merge.visits != Visits::any);
  if (in_these_orders) return std::sqrt(parts);
  const Rescalings rescalings = count_rescalings({scores.keys, scores.score, scores.score}, weight, merge);
  const double stretches = 1 + static_cast<double>(rescalings.total);
  return std::sqrt(parts * std::max(1.0, stretches / harmless_rescalings));
}

std::vector<std::vector<double>> possible_exponents(const RowScores& scores, index tile_keys) {
  std::vector<std::vector<double>> all{{scores.score.begin(), scores.score.end()}};
  std::vector<index> sizes{tile_keys};
  if (tile_keys == 0) sizes.clear();
  if (tile_keys == 1) sizes = {16, 32, 64, 128};
  for (const index size : sizes) {
    if (raises(scores, size) <= harmless_rescalings) continue;
    const std::vector<double> of_keys(scores.score.begin(), scores.score.begin() + std::ssize(scores.keys));
    std::vector<index> tile;
    for (const index key : scores.keys) tile.push_back(key / size);
    all.push_back(below_running_maximum(of_keys, tile));
    all.push_back(reversed(below_running_maximum(reversed(of_keys), reversed(tile))));
    for (auto* order : {&all.end()[-2], &all.back()})
      if (scores.has_sink()) order->push_back(scores.score.back());  // which is never cast
  }
  return all;
}

}  // namespace attestone
