// SPDX-License-Identifier: Apache-2.0
// Lanes are queries where keys are summed up, and channels where rows are.
#include "reference/certified/backward/gradient_products.hpp"

#include <algorithm>
#include <array>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "reference/certified/backward/gradient_products.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "reference/certified/forward/tile_parts-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace attestone {
namespace HWY_NAMESPACE {

/// Columns of dQ that one product takes: a part of a block that leaves no remainder too small for two pipes, and that
/// registers hold without spilling.
constexpr int query_rows = std::min<int>(product_rows, columns_per_block / 2);

void add_to_query_on_target(const DecodedRows& key, std::span<const QueryWord> words, index stretch,
                            std::span<const double> terms, BoundedSum sum) {
  alignas(64) double ones[rows_per_tile];
  std::fill_n(ones, rows_per_tile, 1.0);
  std::array<Ahead, words_per_stretch> ahead;
  for (std::size_t i = 0; i < words.size(); ++i)
    ahead[i] = Ahead(words[i].next_weight, words[i].next_gradient, key.stride / columns_per_block);
  const auto add = [&](const double* columns, const double* pairs, index steps, double* to) HWY_ATTR {
    add_products<query_rows>(columns, columns_per_block, columns_per_block, pairs, steps, ones, to);
  };
  for (index c = 0; c < key.columns; c += columns_per_block) {
    for (std::size_t i = 0; i < words.size(); ++i) {
      ahead[i].step();
      add(key.at(words[i].word * keys_per_word, c), words[i].gradient, keys_per_word, sum.value + c * rows_per_tile);
    }
    add(key.group_peak(stretch * words_per_stretch * keys_per_word, c), terms.data(), std::ssize(terms) / rows_per_tile,
        sum.bound + c * rows_per_tile);
  }
}

/// Where a sum over rows goes: [keys][stride], two vectors of columns.
struct KeySum {
  double* to;
  index stride;

  template <int keys>
  HWY_INLINE void fetch_rows() const {
    unrolled<keys>([&]<int key>() ATTESTONE_IN_KERNEL { fetch<1>(to, key * stride); });
  }
  HWY_INLINE void add(index key, const Vector& a, const Vector& b) const {
    const Rows d;
    double* at = to + key * stride;
    hn::Store(hn::Add(hn::Load(d, at), a), d, at);
    hn::Store(hn::Add(hn::Load(d, at + hn::Lanes(d)), b), d, at + hn::Lanes(d));
  }
};

/// Adds the sums over the rows of each tile, of some keys and the columns from `column` on.
template <int keys>
HWY_NOINLINE void add_tiles(const PanelRows& of, std::span<const index> tiles, index first_key, index column,
                            const KeySum& sum, Ahead& ahead) {
  const double* pairs = of.pairs + first_key * rows_per_tile;
  sum.fetch_rows<keys>();
  add_chains<keys>(
      std::ssize(tiles),
      [&](index i) ATTESTONE_IN_KERNEL {
        ahead.step();
        const index tile = tiles[static_cast<std::size_t>(i)];
        return Chain{{pairs + tile * GradientPanel::tile_stride, rows_per_tile, 1},
                     of.rows->at(of.first_row + tile * rows_per_tile, column),
                     columns_per_block,
                     rows_per_tile};
      },
      [&](index key, const Vector& a, const Vector& b) ATTESTONE_IN_KERNEL { sum.add(key, a, b); });
}

/// Adds bounds, [keys][stride], of so many groups of rows.
template <int keys>
HWY_NOINLINE void add_bounds(const double* bounds, index stride, index groups, const double* peaks, const KeySum& sum) {
  sum.fetch_rows<keys>();
  multiply<keys>({{bounds, stride, 1}, peaks, columns_per_block, groups},
                 [&](index key, const Vector& a, const Vector& b) ATTESTONE_IN_KERNEL { sum.add(key, a, b); });
}

/// visit.operator()<keys>(key, column, place of both in [64][stride]) for all keys and columns, as many at a time as
/// one product takes.
template <class Visit>
HWY_INLINE void for_each_part(index stride, Visit visit) {
  for (index c = 0; c < stride; c += 2 * static_cast<index>(hn::Lanes(Rows())))
    for_each_block<product_rows>(keys_per_word, [&]<int keys>(index key) ATTESTONE_IN_KERNEL {
      visit.template operator()<keys>(key, c, key * stride + c);
    });
}

/// Adds the tiles of one group, whose pairs stay in the first cache while the columns pass by.
void add_group(const PanelRows& of, std::span<const index> tiles, Ahead& ahead, BoundedSum sum) {
  for_each_part(of.rows->stride, [&]<int keys>(index key, index column, index place) ATTESTONE_IN_KERNEL {
    add_tiles<keys>(of, tiles, key, column, {sum.value + place, of.rows->stride}, ahead);
  });
}

/// Adds the bounds of some tiles, and of those between them, which are 0.
void add_run(const PanelRows& of, std::span<const index> tiles, BoundedSum sum) {
  const index first = tiles.front(), groups = (tiles.back() + 1 - first) * groups_per_tile;
  for_each_part(of.rows->stride, [&]<int keys>(index key, index column, index place) ATTESTONE_IN_KERNEL {
    add_bounds<keys>(of.bounds + key * of.bound_stride + first * groups_per_tile, of.bound_stride, groups,
                     of.rows->group_peak(of.first_row + first * rows_per_tile, column),
                     {sum.bound + place, of.rows->stride});
  });
}

/// visit(tiles) for stretches of tiles that are together, as together(tile, the one after it) has it.
template <class Together, class Visit>
HWY_INLINE void for_each_run(std::span<const index> tiles, Together together, Visit visit) {
  while (!tiles.empty()) {
    std::size_t count = 1;
    while (count < tiles.size() && together(tiles[count - 1], tiles[count])) ++count;
    visit(tiles.first(count));
    tiles = tiles.subspan(count);
  }
}

void add_to_keys_on_target(const PanelRows& of, std::span<const double> next, BoundedSum sum) {
  const index columns = 2 * static_cast<index>(hn::Lanes(Rows()));
  const index blocks = (keys_per_word + product_rows - 1) / product_rows * (of.rows->stride / columns);
  Ahead ahead(next, {}, blocks * std::ssize(of.tiles));
  for_each_run(
      of.tiles, [](index tile, index next_tile) { return tile / tiles_per_group == next_tile / tiles_per_group; },
      [&](std::span<const index> tiles) { add_group(of, tiles, ahead, sum); });
  for_each_run(
      of.tiles, [](index tile, index next_tile) { return next_tile - tile <= tiles_per_group; },
      [&](std::span<const index> tiles) { add_run(of, tiles, sum); });
}

}  // namespace HWY_NAMESPACE
}  // namespace attestone
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attestone {

HWY_EXPORT(add_to_query_on_target);
HWY_EXPORT(add_to_keys_on_target);

void add_to_query(const DecodedRows& key, std::span<const QueryWord> words, index stretch,
                  std::span<const double> terms, BoundedSum sum) {
  HWY_DYNAMIC_DISPATCH(add_to_query_on_target)(key, words, stretch, terms, sum);
}
void add_to_keys(const PanelRows& of, std::span<const double> next, BoundedSum sum) {
  HWY_DYNAMIC_DISPATCH(add_to_keys_on_target)(of, next, sum);
}

}  // namespace attestone
#endif
