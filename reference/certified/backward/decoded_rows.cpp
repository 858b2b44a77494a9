// SPDX-License-Identifier: Apache-2.0
// Widening rows to doubles, and noting the facts that their bounds need.
#include "reference/certified/backward/decoded_rows.hpp"

#include <algorithm>
#include <cmath>

namespace attestone {

DecodedRows::DecodedRows(index row_count, index column_count)
    : rows(round_up(row_count, keys_per_word)),
      columns(column_count),
      stride(round_up(column_count, rows_per_tile)),
      facts(static_cast<std::size_t>(rows)),
      special(static_cast<std::size_t>(rows)),
      values_(zeroed_doubles(rows * stride)),
      peaks_(zeroed_doubles(rows / keys_per_group * stride)) {}

void DecodedRows::decode(const RowReader& reader, index batch, index head, index source_row, index row) {
  const AlignedDoubles memory = zeroed_doubles(stride);
  const std::span<double> values(memory.get(), static_cast<std::size_t>(columns));
  reader.read(batch, head, source_row, values);
  bool found = false;
  facts[static_cast<std::size_t>(row)] = cleaned_facts(values, found);
  special[static_cast<std::size_t>(row)] = found;
  for (index c = 0; c < stride; c += columns_per_block)
    std::copy_n(memory.get() + c, columns_per_block, values_.get() + (at(row, c) - values_.get()));
}

std::vector<double> DecodedRows::row(index r) const {
  std::vector<double> all;
  for (index c = 0; c < columns; ++c) all.push_back(*at(r, c));
  return all;
}

void DecodedRows::conclude(index first_row) {
  constexpr index groups = rows_per_tile / keys_per_group;
  for (index block = 0; block < stride; block += columns_per_block)
    for (index r = first_row; r < std::min(first_row + keys_per_word, rows); ++r) {
      const double* values = at(r, block);
      double* peaks = peaks_.get() + place(rows / keys_per_group, r / rows_per_tile * groups + r % groups, block);
      for (index c = 0; c < columns_per_block; ++c) peaks[c] = std::max(peaks[c], std::fabs(values[c]));
    }
}

}  // namespace attestone
