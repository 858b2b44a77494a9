// SPDX-License-Identifier: Apache-2.0
// Counting the tiles that may raise a running maximum, in both orders.
#include "reference/error_bound/forward/rescalings.hpp"

#include <algorithm>
#include <limits>

namespace attestone {
namespace {

struct Tile {
  double lowest, highest;  ///< enclosure of its largest score
  std::size_t end;         ///< one past its last key
};

std::vector<Tile> tiles_of(const ScoreEnclosure& scores) {
  std::vector<Tile> tiles;
  tiles.reserve(scores.keys.size());
  index next_tile_from = 0;  // the first key past the tile at hand
  for (std::size_t j = 0; j < scores.keys.size(); ++j) {
    const index key = scores.keys[j];
    if (tiles.empty() || (scores.tile_keys > 0 && key >= next_tile_from)) {
      tiles.push_back({scores.lowest[j], scores.highest[j], j + 1});
      next_tile_from = scores.tile_keys > 1 ? (key / scores.tile_keys + 1) * scores.tile_keys : key + 1;
    } else {
      Tile& tile = tiles.back();
      tile = {std::max(tile.lowest, scores.lowest[j]), std::max(tile.highest, scores.highest[j]), j + 1};
    }
  }
  return tiles;
}

/// later[t]: how many of the tiles visited after t may raise the maximum of all before them.
template <class Iterator>
std::vector<index> raises_after(Iterator begin, Iterator end) {
  std::vector<index> raises;
  raises.reserve(static_cast<std::size_t>(end - begin));
  double running = -std::numeric_limits<double>::infinity();
  for (Iterator tile = begin; tile != end; ++tile) {
    raises.push_back(tile != begin && tile->highest > running);
    running = std::max(running, tile->lowest);
  }
  index after = 0;
  for (auto count = raises.rbegin(); count != raises.rend(); ++count) {
    const index raised = *count;
    *count = after;
    after += raised;
  }
  return raises;
}

Rescalings rescalings_of_keys(const std::vector<Tile>& tiles, std::size_t keys) {
  Rescalings result;
  if (tiles.empty()) return result;
  const std::vector<index> ascending = raises_after(tiles.begin(), tiles.end());
  std::vector<index> descending = raises_after(tiles.rbegin(), tiles.rend());
  std::reverse(descending.begin(), descending.end());
  result.later.reserve(keys);
  result.total = std::max(ascending.front(), descending.back());
  for (std::size_t t = 0; t < tiles.size(); ++t)
    while (result.later.size() < tiles[t].end) result.later.push_back(std::max(ascending[t], descending[t]));
  return result;
}

/// Visited last, the sink may raise the maximum of all keys; visited first, every tile may raise the sink's.
void include_sink(double lowest, double highest, const std::vector<Tile>& tiles, Rescalings& result) {
  double keys_lowest = -std::numeric_limits<double>::infinity(), keys_highest = keys_lowest;
  for (const Tile& tile : tiles) {
    keys_lowest = std::max(keys_lowest, tile.lowest);
    keys_highest = std::max(keys_highest, tile.highest);
  }
  if (highest > keys_lowest)
    for (index& later : result.later) ++later;
  if (!tiles.empty()) ++result.total;
  result.later.push_back(keys_highest > lowest ? result.total : 0);
}

}  // namespace

Rescalings count_rescalings(const ScoreEnclosure& scores) {
  const std::vector<Tile> tiles = tiles_of(scores);
  Rescalings result = rescalings_of_keys(tiles, scores.keys.size());
  if (scores.lowest.size() > scores.keys.size())
    include_sink(scores.lowest.back(), scores.highest.back(), tiles, result);
  return result;
}

}  // namespace attestone
