// SPDX-License-Identifier: Apache-2.0
// Step 4 of the ladder: the keys arrive in tiles, and every step is a small matrix product.
#pragma once

#include "reference/attention/answer.hpp"
#include "reference/call/tensors.hpp"

/// @page ladder_4_tiled 4. Tiles
///
/// Nothing in step 3 asks for one key at a time. Let a tile of \f$ B_r \f$ queries stay while tiles of \f$ B_c \f$ keys
/// pass by. With the letters of FlashAttention (Dao et al., arXiv 2205.14135; in this order of loops Dao,
/// arXiv 2307.08691, Algorithm 1), \f$ S, P \f$ are \f$ B_r \times B_c \f$, \f$ O \f$ is
/// \f$ B_r \times \mathrm{value\_dim} \f$, and for each row
/// \f[
///   m' = \max(m, \mathrm{rowmax}\, S), \qquad P = e^{S - m'}, \qquad
///   \ell' = e^{m - m'}\, \ell + \mathrm{rowsum}\, P, \qquad O' = \mathrm{diag}(e^{m - m'})\, O + P V .
/// \f]
/// Each key and value is now loaded once per tile of queries instead of once per query, and what is in use fits into
/// fast memory: that is the whole speed of flash attention. The answer is still exact; only the order of sums changes.
///
/// Hidden pairs inside a tile have S = -infinity, hence P = 0. They must be left out of P V all the same: 0 times NaN
/// is NaN. Dropout multiplies P by a tile of D between the two uses of P: \f$ \ell \f$ sums P, O takes in
/// \f$ (D \circ P) V \f$.

namespace attestone {

Answer tiled_attention(const Problem&, const Inputs&, index query_block = 4, index key_block = 8);

}  // namespace attestone
