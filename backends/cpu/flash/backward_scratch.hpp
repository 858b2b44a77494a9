// SPDX-License-Identifier: Apache-2.0
// The scratch memory that one worker of the flash kernel's backward pass keeps its tiles in.
#pragma once

#include "backends/cpu/flash/tiles.hpp"

namespace attestone {

/// Borrowed for one run; rows that are multiplied as rows are padded to pad(x), the next multiple of 32.
struct FlashBackwardScratch {
  FlashBackwardScratch(Workspace& workspace, const FlashTiles& t)
      : Q(workspace, t.queries * t.dim_width()),
        dO(workspace, t.queries * t.value_width()),
        log_sum_exp(workspace, t.queries),
        delta(workspace, t.queries),
        row(workspace, std::max(t.dim, t.value_dim)),
        K(workspace, t.keys * t.dim_width()),
        KT(workspace, t.steps() * t.dim * t.key_width()),
        VT(workspace, t.steps() * t.value_dim * t.key_width()),
        S(workspace, t.key_width()),
        dP(workspace, t.key_width()),
        slopes(workspace, t.key_width()),
        biases(workspace, t.biased_keys),
        PT(workspace, t.compute * t.queries),
        dST(workspace, t.compute * t.queries),
        dQ(workspace, t.queries * t.dim_width()),
        dK(workspace, t.keys * t.dim_width()),
        dV(workspace, t.keys * t.value_width()),
        seen(workspace, t.compute),
        seenT(workspace, t.compute * t.queries) {}

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

  Workspace::Loan<float> Q, dO;               ///< [queries][dim_width], [queries][value_width]
  Workspace::Loan<float> log_sum_exp, delta;  ///< [queries]: L and delta = sum dO O
  Workspace::Loan<float> row;                 ///< a row of O, of K or of V
  Workspace::Loan<float> K, KT, VT;           ///< [keys][dim_width], [steps][dim][key_width], [steps][value_dim][..]
  Workspace::Loan<float> S, dP;               ///< [key_width]: one row of scores, then of P; of dP, then of dS
  Workspace::Loan<float> slopes, biases;      ///< of that row
  Workspace::Loan<float> PT, dST;             ///< [compute][queries]: P and dS of one step, transposed
  Workspace::Loan<float> dQ, dK, dV;          ///< sums; as Q, as K, [keys][value_width]
  Workspace::Loan<std::uint8_t> seen, seenT;  ///< [compute], [compute][queries]: 1 where a pair is visible
};

}  // namespace attestone
