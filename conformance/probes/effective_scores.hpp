// SPDX-License-Identifier: Apache-2.0
// The score read-out: what a kernel makes of q.k, whatever scale and softcap it was asked for.
#pragma once

#include <vector>

#include "backends/kernel.hpp"

namespace attestone {

/// How far one key's score rises above another's whose K is 0, by the ratio of their weights.
struct ScoreReadOut {
  double q_k;    ///< <q, k>, before any scale
  double got;    ///< ln(weight of the key / weight of the other)
  double right;  ///< after scale and softcap
};

/// Four products, two small and two large, on one query that sees two keys at least. Where a score differs by more than
/// two weights that are rounded to the output's format explain; empty if none does, or if there is no such query, a
/// bias, dropout, or weights that vanish.
std::vector<ScoreReadOut> wrong_scores(const AnyKernel&, const Problem&);

}  // namespace attestone
