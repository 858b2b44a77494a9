// SPDX-License-Identifier: Apache-2.0
// The least amounts that a problem needs: useful operations, and bytes that have to be read.
#pragma once

#include "reference/problem/problem.hpp"

namespace attestone::inline conformance {

/// The pairs of all heads and batches that mask and lengths let take part.
double useful_pairs(const Problem&);

/// Operations of the pass that a problem is timed by. Forward, two products of a pair's channels: 4 N^2 D on full
/// attention. Backward (where the problem has gradients), five products: 10 N^2 D; its own forward pass is not in it.
double useful_flops(const Problem&);

/// Bytes of K and V: what a pass reads at least, be it for one query.
double key_value_bytes(const Problem&);

/// Bytes of Q, K, V, O and log_sum_exp; with gradients also those of O's and theirs.
double tensor_bytes(const Problem&);

}  // namespace attestone::inline conformance
