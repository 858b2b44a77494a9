// SPDX-License-Identifier: Apache-2.0
// The basis of all read-outs: single weights, read where V is 1 at one key and 0 elsewhere, and how far rounding may
// carry them in the coarsest arithmetic that kernels are known for.
#pragma once

#include <optional>
#include <vector>

#include "conformance/problems/fill.hpp"
#include "conformance/trial/trial.hpp"

namespace attestone::inline conformance {

/// The row of K and V that a query head of a sequence reads.
struct KeyRow {
  index batch, kv_head, key;
};
KeyRow key_row(const Problem&, index batch, index head, index key);

/// The elements of query, key, bias, sink come from `others`; V is 1 in every channel of this one row of this sequence
/// and kv head, and 0 everywhere else: O holds the weights of that key.
Inputs one_key_shown(const Problem&, const KeyRow&, const ElementSource& others);

/// The weight that each query of the sequence and head gives to what V shows. Nothing if the channels of O disagree, or
/// hold what is no weight (NaN, an infinity, less than 0): then O is no sum of weighted rows of V.
std::optional<std::vector<double>> weights_of(Trial&, const Inputs&, index batch, index head);

/// The relative error that a weight may have of a score of this size if every step is cut to bf16 (2^-7), or to the
/// problem's own formats if those are coarser: operands, scale, product, sum and score cost five roundings of the score
/// itself; the exponential, the cast weight, the sum, the quotient and the stored O six of the weight.
double coarsest_rounding(const Problem&, double score);

/// Beyond this nothing can be read: a weight that may be off by so much does not tell one cause from another.
inline constexpr double too_coarse = 0.5;

}  // namespace attestone::inline conformance
