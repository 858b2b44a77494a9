// SPDX-License-Identifier: Apache-2.0
// From the order of tiles to how often they may raise a running maximum.
#include "reference/error_bound/forward/rescalings.hpp"

#include <algorithm>
#include <limits>

#include "reference/error_bound/forward/raises.hpp"

namespace attestone {
namespace {

using Raises = std::vector<index>;
using Count = Raises (*)(std::span<const Enclosed>);

/// Key j is in tile keys[j] / tile_keys. (tile_keys 0: one tile.)
struct Tiles {
  std::vector<Enclosed> maxima;
  std::vector<std::size_t> ends;  ///< one past the last key of each
};

Tiles tiles_of(const ScoreEnclosure& scores, index tile_keys) {
  Tiles tiles;
  index next_tile_from = 0;  // the first key past the tile at hand
  for (std::size_t j = 0; j < scores.keys.size(); ++j) {
    const index key = scores.keys[j];
    if (tiles.ends.empty() || (tile_keys > 0 && key >= next_tile_from)) {
      tiles.maxima.push_back({scores.lowest[j], scores.highest[j]});
      tiles.ends.push_back(j + 1);
      next_tile_from = tile_keys > 1 ? (key / tile_keys + 1) * tile_keys : key + 1;
    } else {
      Enclosed& tile = tiles.maxima.back();
      tile = {std::max(tile.lowest, scores.lowest[j]), std::max(tile.highest, scores.highest[j])};
      tiles.ends.back() = j + 1;
    }
  }
  return tiles;
}

Raises backwards(Count count, std::vector<Enclosed> tiles) {
  std::ranges::reverse(tiles);
  Raises raises = count(tiles);
  std::ranges::reverse(raises);
  return raises;
}

Raises larger_of(Raises a, const Raises& b) {
  for (std::size_t t = 0; t < a.size(); ++t) a[t] = std::max(a[t], b[t]);
  return a;
}

Raises in_order(Count count, Visits visits, const std::vector<Enclosed>& tiles) {
  if (visits == Visits::ascending) return count(tiles);
  if (visits == Visits::descending) return backwards(count, tiles);
  return larger_of(count(tiles), backwards(count, tiles));
}

/// Behind tile t come the tiles to one end, and then, from the other end on, tiles that would raise the maximum if
/// nothing were seen before: as many as behind the first, and that one.
Raises rotated(const std::vector<Enclosed>& tiles) {
  const auto one_way = [](Raises to_the_end, Raises from_other_end) {
    for (std::size_t t = 0; t < to_the_end.size(); ++t)
      to_the_end[t] += t == 0 ? 0 : from_other_end[0] - from_other_end[t - 1] + 1;
    return to_the_end;
  };
  const auto mirrored = [](Raises raises) {
    std::ranges::reverse(raises);
    return raises;
  };
  const Raises ascending = one_way(raises_of_runs(tiles), raises_of_all(tiles));
  const Raises descending =
      mirrored(one_way(mirrored(backwards(raises_of_runs, tiles)), mirrored(backwards(raises_of_all, tiles))));
  return larger_of(ascending, descending);
}

/// The tiles seen are a run that holds t; on either side of it the maximum rises at most as often as that of a run
/// which begins with t.
Raises two_ended(const std::vector<Enclosed>& tiles) {
  Raises raises = raises_of_runs(tiles);
  const Raises other_side = backwards(raises_of_runs, tiles);
  for (std::size_t t = 0; t < raises.size(); ++t) raises[t] += other_side[t];
  return raises;
}

Raises raises_of(const std::vector<Enclosed>& tiles, Visits visits, const MergeStage& merge) {
  if (merge.merges() && merge.form == MergeForm::shared_maximum) return Raises(tiles.size());
  const bool directed = visits <= Visits::either_way;
  if (!directed && (merge.merges() || visits == Visits::any)) return possibly_larger(tiles);
  if (visits == Visits::rotated) return rotated(tiles);
  if (visits == Visits::two_ended) return two_ended(tiles);
  if (!merge.merges()) return in_order(raises_of_all, visits, tiles);
  return in_order(merge.visits == Visits::any ? raises_of_picks : raises_of_runs, visits, tiles);
}

/// Visited last, the sink may raise the maximum of all keys; visited first, every tile may raise the sink's.
void include_sink(const Enclosed& sink, const std::vector<Enclosed>& tiles, Rescalings& result) {
  Enclosed keys{-std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
  for (const Enclosed& tile : tiles) keys = {std::max(keys.lowest, tile.lowest), std::max(keys.highest, tile.highest)};
  if (sink.highest > keys.lowest)
    for (index& later : result.later) ++later;
  if (!tiles.empty()) ++result.total;
  result.later.push_back(keys.highest > sink.lowest ? result.total : 0);
}

}  // namespace

Rescalings count_rescalings(const ScoreEnclosure& scores, const WeightStage& weight, const MergeStage& merge) {
  const Tiles tiles = tiles_of(scores, weight.tile_keys);
  const Raises raises = raises_of(tiles.maxima, weight.visits, merge);
  Rescalings result;
  result.later.reserve(scores.keys.size() + 1);
  for (std::size_t t = 0; t < raises.size(); ++t) {
    while (result.later.size() < tiles.ends[t]) result.later.push_back(raises[t]);
    result.total = std::max(result.total, raises[t]);
  }
  if (scores.lowest.size() > scores.keys.size())
    include_sink({scores.lowest.back(), scores.highest.back()}, tiles.maxima, result);
  return result;
}

}  // namespace attestone
