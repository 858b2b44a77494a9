// SPDX-License-Identifier: Apache-2.0
// Widening one kv head to doubles, once, and noting the facts that its bounds need.
#include "reference/certified/decoded_head.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "reference/certified/row_reader.hpp"

namespace attestone {
namespace {

/// More than the relative error of a sum of fewer than 2^20 squares and its root (docs/certified.md, "Norms").
constexpr double norm_margin = 1 + 0x1p-30;

/// The place of the lowest set bit of a finite x other than 0.
int lowest_bit(double x) {
  constexpr int trailing = std::numeric_limits<double>::digits - 1;
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const int field = static_cast<int>((bits >> trailing) & 0x7ff);
  const std::uint64_t significand =
      (bits & ((std::uint64_t{1} << trailing) - 1)) | (std::uint64_t{field != 0} << trailing);
  constexpr int smallest = -1074;  // the double 2^-1074 has field 0
  return smallest + std::max(field - 1, 0) + std::countr_zero(significand);
}

}  // namespace

AlignedDoubles zeroed_doubles(index count) {
  AlignedDoubles all = hwy::AllocateAligned<double>(static_cast<std::size_t>(std::max<index>(count, 1)));
  std::fill_n(all.get(), count, 0.0);
  return all;
}

VectorFacts vector_facts(std::span<const double> vector) {
  VectorFacts facts;
  double peak = 0;
  for (const double x : vector) {
    peak = std::max(peak, std::fabs(x));
    if (x != 0) facts.lowest_bit = std::min(facts.lowest_bit, lowest_bit(x));
  }
  if (peak == 0) return facts;
  int exponent = 0;
  std::frexp(peak, &exponent);
  double sum = 0;  // of squares of numbers scaled to at most 1: neither overflow nor harmful underflow
  const double down = std::ldexp(1.0, std::clamp(-exponent, -1000, 1000));
  for (const double x : vector) sum += (x * down) * (x * down);
  facts.norm = std::sqrt(sum) / down * norm_margin;
  return facts;
}

bool zero_specials(std::span<double> row) {
  bool any = false;
  for (double& x : row)
    if (!std::isfinite(x)) {
      x = 0;
      any = true;
    }
  return any;
}

DecodedHead::DecodedHead(const Problem& problem, const Inputs& inputs, index batch, index kv_head,
                         std::span<const std::uint64_t> seen)
    : keys(round_up(problem.shape.keys, keys_per_word)),
      dim(problem.shape.dim),
      channels(round_up(problem.shape.value_dim, channels_per_block)),
      key(zeroed_doubles(keys * dim)),
      value(zeroed_doubles(keys * channels)),
      group_peak(zeroed_doubles(keys / keys_per_group * channels)),
      key_norm(static_cast<std::size_t>(keys)),
      value_peak(static_cast<std::size_t>(keys)),
      key_lowest_bit(VectorFacts().lowest_bit),
      special_key(seen.size()),
      special_value(seen.size()) {
  const RowReader key_reader(inputs.key.view()), value_reader(inputs.value.view());
  const index words = static_cast<index>(seen.size());
  int lowest = key_lowest_bit;
  bool special = false;
#pragma omp parallel for schedule(static) reduction(min : lowest) reduction(|| : special)
  for (index word = 0; word < words; ++word) {
    std::vector<double> key_row(static_cast<std::size_t>(dim));
    std::vector<double> value_row(static_cast<std::size_t>(problem.shape.value_dim));
    const index first = word * keys_per_word, last = std::min(first + keys_per_word, problem.shape.keys);
    for (index k = first; k < last; ++k) {
      if (!bit(seen, k)) continue;
      key_reader.read(batch, kv_head, k, key_row);
      value_reader.read(batch, kv_head, k, value_row);
      lowest = std::min(lowest, store_key(k, key_row));
      store_value(k, value_row);
    }
    const auto at = static_cast<std::size_t>(word);
    special = special || special_key[at] != 0 || special_value[at] != 0;
  }
  key_lowest_bit = lowest;
  has_special = special;
}

int DecodedHead::store_key(index k, std::span<double> row) {
  if (zero_specials(row))
    special_key[static_cast<std::size_t>(k / keys_per_word)] |= std::uint64_t{1} << (k % keys_per_word);
  double* panel = key.get() + k / keys_per_panel * dim * keys_per_panel + k % keys_per_panel;
  for (index c = 0; c < dim; ++c) panel[c * keys_per_panel] = row[static_cast<std::size_t>(c)];
  const VectorFacts facts = vector_facts(row);
  key_norm[static_cast<std::size_t>(k)] = facts.norm;
  return facts.lowest_bit;
}

void DecodedHead::store_value(index k, std::span<double> row) {
  if (zero_specials(row))
    special_value[static_cast<std::size_t>(k / keys_per_word)] |= std::uint64_t{1} << (k % keys_per_word);
  double* values = value.get() + k * channels;
  double* peaks = group_peak.get() + k / keys_per_group * channels;
  double peak = 0;
  for (std::size_t c = 0; c < row.size(); ++c) {
    values[c] = row[c];
    peaks[c] = std::max(peaks[c], std::fabs(row[c]));
    peak = std::max(peak, std::fabs(row[c]));
  }
  value_peak[static_cast<std::size_t>(k)] = peak;
}

}  // namespace attestone
