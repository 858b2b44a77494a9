// SPDX-License-Identifier: Apache-2.0
// The score read-out: what a kernel makes of q.k, whatever scale and softcap it was asked for.
#pragma once

#include <vector>

#include "backends/kernel.hpp"

namespace attestone::inline conformance {

/// How far one key's score rises above another's whose K is 0, by the ratio of their weights.
struct ScoreReadOut {
  double q_k;    ///< <q, k>, before any scale
  double got;    ///< ln(weight of the key / weight of the other)
  double right;  ///< after scale and softcap
};

/// Four products, two small and two large, where a score differs by more than the coarsest rounding explains. Speaks
/// only if two probes agree (another sequence, head, query, other keys, another channel), if tied scores give equal
/// weights, and if each pair of weights is what the score that is read gives among the keys that the query sees. Empty
/// if all scores are right, or with a bias, dropout, a scale of 0, formats too coarse to tell, or codes: those of one
/// product depend on numbers beside it.
std::vector<ScoreReadOut> wrong_scores(const Kernel&, const Problem&);

}  // namespace attestone::inline conformance
