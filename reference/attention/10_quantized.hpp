// SPDX-License-Identifier: Apache-2.0
// Step 10 of the ladder: both products are sums of small integers.
#pragma once

#include "reference/attention/answer.hpp"
#include "reference/call/tensors.hpp"

/// @page ladder_10_quantized 10. Codes for numbers
///
/// Tensor cores multiply integers of 8 bits twice as fast as 16-bit floats. So let a *code* c stand for a number: x is
/// read as c times a *scale*, and the scale of a group of numbers is its largest size over 127:
/// \f[
///   \delta = \max |x| / 127, \qquad c = \mathrm{round}(x / \delta), \qquad |x - \delta c| \le \delta / 2 .
/// \f]
/// In tiles as in step 4, with a scale for each tile of Q and K and for each channel of V, scores are
/// \f$ S = \sigma\, \delta_q \delta_k\, (c_q \cdot c_k) \f$, an exact sum of integers. Weights lie between 0 and 1
/// whatever is asked, so theirs is 1/127; the denominator sums what they were before (Zhang et al., SageAttention,
/// arXiv 2410.02367).
///
/// A scale is as large as the largest number asks, and half of it is lost of all others. The channels of K often have
/// an offset that all keys share, many times larger than what tells them apart. It need not be coded: without the mean,
/// each score of a row is less by the same \f$ \sigma\, q \cdot \mathrm{mean}(K) \f$, which the softmax does not see.
/// log_sum_exp does; it is given that back.
///
/// Codes change the answer, and how much depends on the numbers alone: that is the *method's* error. What a kernel gets
/// wrong beside it is its own (docs/quantized.md).

namespace attestone {

/// Takes scores without further terms, and no dropout. Codes go from -largest to largest.
Answer quantized_attention(const Problem&, const Inputs&, int largest = 127, index query_block = 4,
                           index key_block = 8);

}  // namespace attestone
