// SPDX-License-Identifier: Apache-2.0
// Rows that hold NaN or infinities are rare: everything else is one product.
#include "backends/cpu/attend/seen_products.hpp"

#include <algorithm>
#include <cmath>

#include "backends/cpu/simd/masked_rows.hpp"
#include "backends/cpu/simd/products.hpp"

namespace attestone::inline backends {
namespace {

/// True if `such` holds for any i of 0 ... count - 1.
template <class Such>
bool any_of(index count, Such such) {
  for (index i = 0; i < count; ++i)
    if (such(i)) return true;
  return false;
}

}  // namespace

void add_seen_keys(const SeenPairs& seen, FloatMatrixRows rows, index keys, index channels, const float* weights,
                   const float* shrink, float* out, float* cleared, const ComingRows& coming) {
  const auto leaks = [&](index key) { return seen.hides(key) && !all_finite(rows[key], channels); };
  if (!any_of(keys, leaks)) return add_weighted_rows(rows, keys, channels, weights, shrink, out, coming);
  for (index key = 0; key < keys; ++key) {
    float* copy = cleared + key * channels;
    std::copy_n(rows[key], channels, copy);
    if (leaks(key)) clear_non_finite(copy, channels);
  }
  add_weighted_rows({cleared, channels}, keys, channels, weights, shrink, out, coming);
  for (index key = 0; key < keys; ++key)
    if (leaks(key)) add_non_finite(seen.of_key[key], rows[key], weights + key * panel_queries, channels, out);
}

void add_seen_queries(const SeenPairs& seen, const float* weights, index keys, FloatMatrixRows rows, index queries,
                      index channels, index width, float* out, float* cleared) {
  const bool hides = any_of(keys, [&](index key) { return seen.hides(key); });
  if (!hides || !any_of(queries, [&](index query) { return !all_finite(rows[query], channels); }))
    return add_weights_times_rows(weights, keys, rows, queries, width, out);
  for (index query = 0; query < queries; ++query) {
    float* copy = cleared + query * width;
    std::copy_n(rows[query], width, copy);
    clear_non_finite(copy, width);
    for (index key = 0; key < keys; ++key)
      if (seen.of_key[key] >> query & 1)
        for (index c = 0; c < channels; ++c)
          if (!std::isfinite(rows[query][c]))
            out[key * width + c] += weights[key * panel_queries + query] * rows[query][c];
  }
  add_weights_times_rows(weights, keys, {cleared, width}, queries, width, out);
}

}  // namespace attestone::inline backends
