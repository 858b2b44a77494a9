// SPDX-License-Identifier: Apache-2.0
// Step 5 of the ladder: parts of the keys, answered apart and merged afterwards.
#pragma once

#include "reference/attention/answer.hpp"
#include "reference/call/tensors.hpp"

/// @page ladder_5_split_and_merge 5. Split and merge
///
/// Cut the keys into parts \f$ A_1, \dots, A_S \f$ and answer each by itself. From the answers \f$ (L_t, o_t) \f$
/// alone, \f[
///   L = \ln \sum_t e^{L_t}, \qquad o = \sum_t e^{L_t - L}\, o_t ,
/// \f]
/// which is attention once more: over S keys whose scores are \f$ L_t \f$ and whose values are \f$ o_t \f$. So the
/// natural logarithm of the denominator is worth returning, and in base e: a merge that mixes bases is wrong by powers.
///
/// A sink belongs to the whole row, so it is merged once, and no part may hold it: S parts that each start from the
/// sink would count it S times, and a part that sees no key would not be empty. Dropout is over when a part is
/// answered.
///
/// A part that a query sees nothing of is empty, with L = -infinity, and changes nothing. The merge is the operation of
/// a commutative monoid (@ref partial), so parts may be as many and as uneven as one likes, live on other devices, and
/// arrive in any order: split-KV decoding and ring attention are this page with a network in between (Rabe & Staats,
/// arXiv 2112.05682; Liu et al., arXiv 2310.01889).

namespace attestone {

/// `parts` consecutive parts whose sizes differ by at most one key; some are empty if there are fewer keys.
Answer split_attention(const Problem&, const Inputs&, index parts = 3);

}  // namespace attestone
