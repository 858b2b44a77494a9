// SPDX-License-Identifier: Apache-2.0
// Lanes are queries where keys are summed up, and channels where rows are.
#include "reference/certified/backward/gradient_products.hpp"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "reference/certified/backward/gradient_products.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "reference/certified/forward/tile_parts-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace attestone {
namespace HWY_NAMESPACE {

void add_to_query_on_target(const GradientTask& task, index word, const PairBlock& block, const PairScratch& scratch,
                            BoundedSum sum) {
  alignas(64) double ones[rows_per_tile];
  std::fill_n(ones, rows_per_tile, 1.0);
  const DecodedRows& key = *task.key;
  const index first = word * keys_per_word, groups = keys_per_word / keys_per_group;
  for (index c = 0; c < key.columns; c += left_rows) {
    add_products(key.at(first, c), columns_per_block, block.gradient, keys_per_word, ones,
                 sum.value + c * rows_per_tile);
    add_products(key.group_peak(first, c), columns_per_block, scratch.query_terms.get(), groups, ones,
                 sum.bound + c * rows_per_tile);
  }
}

/// out[left_rows][stride] += the sums over sixteen rows of each tile in turn, of left_rows keys and some columns.
inline HWY_NOINLINE void add_tiles(const PanelRows& of, const double* HWY_RESTRICT pairs,
                                   const double* HWY_RESTRICT rows, double* HWY_RESTRICT out) {
  const Rows d;
  const auto lanes = static_cast<index>(hn::Lanes(d));
  const index stride = of.rows->stride;
  for (const index tile : of.tiles)
    multiply(pairs + tile * GradientPanel::tile_stride, rows_per_tile, 1,
             rows + tile * rows_per_tile * columns_per_block, columns_per_block, rows_per_tile,
             [&](index row, const Vector& a, const Vector& b) HWY_ATTR {
               double* to = out + row * stride;
               hn::Store(hn::Add(hn::Load(d, to), a), d, to);
               hn::Store(hn::Add(hn::Load(d, to + lanes), b), d, to + lanes);
             });
}

/// The same of bounds [left_rows][bound_stride], and all groups of rows at once.
inline HWY_NOINLINE void add_bounds(const double* HWY_RESTRICT bounds, index bound_stride, index groups,
                                    const double* HWY_RESTRICT peaks, index stride, double* HWY_RESTRICT out) {
  const Rows d;
  const auto lanes = static_cast<index>(hn::Lanes(d));
  multiply(bounds, bound_stride, 1, peaks, columns_per_block, groups,
           [&](index row, const Vector& a, const Vector& b) HWY_ATTR {
             double* to = out + row * stride;
             hn::Store(hn::Add(hn::Load(d, to), a), d, to);
             hn::Store(hn::Add(hn::Load(d, to + lanes), b), d, to + lanes);
           });
}

void add_to_keys_on_target(const PanelRows& of, const double* pairs, const double* bounds, index bound_stride,
                           BoundedSum sum) {
  const auto columns = 2 * static_cast<index>(hn::Lanes(Rows()));
  const index stride = of.rows->stride, groups = of.used_tiles * groups_per_tile;
  for (index c = 0; c < stride; c += columns)
    for (index key = 0; key < keys_per_word; key += left_rows) {
      const index at = key * stride + c;
      add_tiles(of, pairs + key * rows_per_tile, of.rows->at(of.first_row, c), sum.value + at);
      add_bounds(bounds + key * bound_stride, bound_stride, groups, of.rows->group_peak(of.first_row, c), stride,
                 sum.bound + at);
    }
}

}  // namespace HWY_NAMESPACE
}  // namespace attestone
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attestone {

HWY_EXPORT(add_to_query_on_target);
HWY_EXPORT(add_to_keys_on_target);

void add_to_query(const GradientTask& task, index word, const PairBlock& block, const PairScratch& scratch,
                  BoundedSum sum) {
  HWY_DYNAMIC_DISPATCH(add_to_query_on_target)(task, word, block, scratch, sum);
}
void add_to_keys(const PanelRows& of, const double* pairs, const double* bounds, index bound_stride, BoundedSum sum) {
  HWY_DYNAMIC_DISPATCH(add_to_keys_on_target)(of, pairs, bounds, bound_stride, sum);
}

}  // namespace attestone
#endif
