// SPDX-License-Identifier: Apache-2.0
// Step 7 of the ladder: a batch of sequences of different lengths, without padding.
#pragma once

#include "reference/attention/rows.hpp"
#include "reference/call/tensors.hpp"

/// @page ladder_7_ragged 7. Ragged batches
///
/// Sequences differ in length, and a rectangle [batch, rows] spends memory and work on padding. Put the sequences
/// behind each other instead: sequence b owns the rows \f$ c_b \f$ to \f$ c_{b+1} - 1 \f$ of one long tensor, where \f[
///   c_0 = 0, \qquad c_{b+1} = c_b + \mathrm{length}_b
/// \f]
/// are the running sums that libraries call cu_seqlens; queries and keys have their own. Row r of the answer belongs to
/// the sequence b with \f$ c_b \le r < c_{b+1} \f$, is its query \f$ i = r - c_b \f$, and sees only keys of the same
/// sequence, aligned by that sequence's lengths:
/// \f[
///   N(r) \subseteq \{ c^{K}_b, \dots, c^{K}_{b+1} - 1 \}, \qquad
///   \mathrm{position}(i) = i + \mathrm{keys}_b - \mathrm{queries}_b .
/// \f]
/// So a ragged batch is a loop over sequences and nothing more: the score matrix is block diagonal, and the answer of
/// one sequence does not change when its neighbours do. Sequences of length 0 are legal: two running sums are equal
/// then, no row belongs to b, and a search for "the" sequence of a row must step over it.

namespace attestone {

/// O [1, heads, total queries, value_dim] and log_sum_exp [1, heads, total queries, 1]; sequence b has the rows
/// starts[b] to starts[b + 1].
struct RaggedAnswer {
  RowStarts starts;
  Rows out, log_sum_exp;
};

RaggedAnswer ragged_attention(const Problem&, const Inputs&);

}  // namespace attestone
