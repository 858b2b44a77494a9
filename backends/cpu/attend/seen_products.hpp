// SPDX-License-Identifier: Apache-2.0
// Products with weights that are 0 where a pair is hidden. A weight of 0 hides every finite number, but neither NaN nor
// infinities: those join the sums of the pairs that see them, and no other, and are 0 in the product.
#pragma once

#include "backends/cpu/simd/coming_rows.hpp"
#include "backends/cpu/simd/panel.hpp"

namespace attestone::inline backends {

/// Which queries of a panel see each of some keys.
struct SeenPairs {
  const QuerySet* of_key;  ///< [keys]
  QuerySet all;            ///< the queries that there are

  bool hides(index key) const { return (of_key[key] & all) != all; }
};

/// out[channels][32] = shrink[32] out + rows[keys][channels]^T weights[keys][32], in which keys are summed; `cleared`
/// holds rows [keys][channels] if need be.
void add_seen_keys(const SeenPairs&, FloatMatrixRows rows, index keys, index channels, const float* weights,
                   const float* shrink, float* out, float* cleared, const ComingRows& coming = {});

/// out[keys][width] += weights[keys][32] rows[queries][width], in which queries are summed; the width is a multiple of
/// 32, to which `channels` are padded; `cleared` holds rows [queries][width] if need be.
void add_seen_queries(const SeenPairs&, const float* weights, index keys, FloatMatrixRows rows, index queries,
                      index channels, index width, float* out, float* cleared);

}  // namespace attestone::inline backends
