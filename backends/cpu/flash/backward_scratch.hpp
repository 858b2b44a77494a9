// SPDX-License-Identifier: Apache-2.0
// The scratch memory that one worker of the flash kernel's backward pass keeps its tiles in.
#pragma once

#include "backends/cpu/flash/tiles.hpp"

namespace attestone {

/// Borrowed for one run; rows that are multiplied as rows are padded to pad(x), the next multiple of 32.
struct FlashBackwardScratch {
  FlashBackwardScratch(Device& device, const FlashTiles& t)
      : Q(device, t.queries * t.dim_width(), "queries"),
        dO(device, t.queries * t.value_width(), "dout"),
        log_sum_exp(device, t.queries, "log_sum_exp"),
        delta(device, t.queries, "delta"),
        row(device, std::max(t.dim, t.value_dim), "row of a tensor"),
        K(device, t.keys * t.dim_width(), "keys"),
        KT(device, t.steps() * t.dim * t.key_width(), "keys, transposed"),
        VT(device, t.steps() * t.value_dim * t.key_width(), "values, transposed"),
        S(device, t.key_width(), "row of scores"),
        dP(device, t.key_width(), "row of dP"),
        slopes(device, t.key_width(), "row of slopes"),
        biases(device, t.biased_keys, "row of biases"),
        PT(device, t.compute * t.queries, "weights, transposed"),
        dST(device, t.compute * t.queries, "dS, transposed"),
        dQ(device, t.queries * t.dim_width(), "dquery"),
        dK(device, t.keys * t.dim_width(), "dkey"),
        dV(device, t.keys * t.value_width(), "dvalue"),
        seen(device, t.compute, "row of visible pairs"),
        seenT(device, t.compute * t.queries, "visible pairs") {}

  /// 4 (bq (2 pad(dim) + pad(value_dim) + 2) + max(dim, value_dim) + bk (2 pad(dim) + pad(value_dim)) + s (dim +
  /// value_dim) pad(bc) + 3 pad(bc) + 2 bc bq) + bc + bc bq, and 4 bc with a bias tensor; with bq, bk, bc the blocks,
  /// none larger than the problem, and s = ceil(bk / bc).
  static index bytes(const FlashTiles& t) {
    const index by_query = 2 * t.dim_width() + t.value_width() + 2, by_key = 2 * t.dim_width() + t.value_width();
    const index by_step = (t.dim + t.value_dim) * t.key_width();
    const index floats = t.queries * by_query + std::max(t.dim, t.value_dim) + t.keys * by_key + t.steps() * by_step +
                         3 * t.key_width() + t.biased_keys + 2 * t.compute * t.queries;
    return floats * static_cast<index>(sizeof(float)) + t.compute + t.compute * t.queries;
  }

  Allocation<float> Q, dO;               ///< [queries][dim_width], [queries][value_width]
  Allocation<float> log_sum_exp, delta;  ///< [queries]: L and delta = sum dO O
  Allocation<float> row;                 ///< a row of O, of K or of V
  Allocation<float> K, KT, VT;           ///< [keys][dim_width], [steps][dim][key_width], [steps][value_dim][..]
  Allocation<float> S, dP;               ///< [key_width]: one row of scores, then of P; of dP, then of dS
  Allocation<float> slopes, biases;      ///< of that row
  Allocation<float> PT, dST;             ///< [compute][queries]: P and dS of one step, transposed
  Allocation<float> dQ, dK, dV;          ///< sums; as Q, as K, [keys][value_width]
  Allocation<std::uint8_t> seen, seenT;  ///< [compute], [compute][queries]: 1 where a pair is visible
  Work work;                             ///< what was done here and is not yet reported
};

}  // namespace attestone
