// SPDX-License-Identifier: Apache-2.0
// Where row r of sequence b lies: in a place of its own, behind the sequence before it, or in pages.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "reference/require.hpp"
#include "reference/shape.hpp"

namespace attestone {

/// [batch, head, row, channel]
using Extents = std::array<index, 4>;
/// Distance between neighbours along each axis, in elements; 0 repeats one element.
using Strides = std::array<index, 4>;

/// Sequences of a batch that lie behind each other: rows starts[b] to starts[b + 1] of one stretch belong to sequence b
/// (cu_seqlens); [batch + 1].
using RowStarts = std::vector<index>;

/// A cache of pages, each of `rows_per_page` rows of every head. Sequence b has `rows[b]` rows: the first ones lie in
/// page table[b * pages_per_sequence], the next in the page that the table names next (vLLM's block_table).
struct Pages {
  index rows_per_page = 1, page_count = 0;
  index pages_per_sequence = 0;     ///< the columns of the table; a sequence need not use them all
  std::vector<std::int32_t> table;  ///< [batch, pages_per_sequence]
  std::vector<index> rows;          ///< [batch]

  bool operator==(const Pages&) const = default;
  index page_of(index batch, index row) const {
    return table[static_cast<std::size_t>(batch * pages_per_sequence + row / rows_per_page)];
  }
};

/// Places the rows of a tensor; what it is made of must outlive it.
class RowMap {
 public:
  /// Dense: every sequence has a place for as many rows as the extents say.
  RowMap() = default;
  /// Behind the last sequence there are `spare_rows` that belong to none.
  explicit RowMap(const RowStarts& starts, index spare_rows = 0) : starts_(&starts), spare_rows_(spare_rows) {}
  /// strides[0] is the distance of neighbouring pages.
  explicit RowMap(const Pages& pages) : pages_(&pages) {}

  bool dense() const { return !starts_ && !pages_; }
  /// Null unless sequences lie behind each other.
  const RowStarts* starts() const { return starts_; }
  /// Null unless the rows lie in pages.
  const Pages* pages() const { return pages_; }

  /// How many rows of a sequence exist.
  index rows(index batch, const Extents& extents) const {
    const auto b = static_cast<std::size_t>(batch);
    if (starts_) return (*starts_)[b + 1] - (*starts_)[b];
    return pages_ ? pages_->rows[b] : extents[2];
  }
  /// How many elements lie before the first of a row that exists, head 0.
  index place(index batch, index row, const Strides& strides) const {
    if (starts_) return ((*starts_)[static_cast<std::size_t>(batch)] + row) * strides[2];
    if (pages_) return pages_->page_of(batch, row) * strides[0] + row % pages_->rows_per_page * strides[2];
    return batch * strides[0] + row * strides[2];
  }
  /// The extents as memory sees them: ragged sequences are one long one, with the spare rows behind it, and pages are
  /// sequences of their own.
  Extents in_memory(const Extents& extents) const {
    Extents all = of_sequences(extents);
    all[2] += spare_rows_;
    return all;
  }
  /// The extents without spare rows.
  Extents of_sequences(const Extents& extents) const {
    if (starts_) return {1, extents[1], starts_->back(), extents[3]};
    if (pages_) return {pages_->page_count, extents[1], pages_->rows_per_page, extents[3]};
    return extents;
  }

 private:
  const RowStarts* starts_ = nullptr;
  const Pages* pages_ = nullptr;
  index spare_rows_ = 0;
};

}  // namespace attestone
