// SPDX-License-Identifier: Apache-2.0
// Step 2 of the ladder: the same sums, shifted so that nothing overflows.
#pragma once

#include "reference/attention/answer.hpp"
#include "reference/call/tensors.hpp"

/// @page ladder_2_stable 2. Subtract the maximum
///
/// Numerator and denominator may be divided by the same \f$ e^{m} \f$. With \f$ m_i = \max_{j \in N(i)} s_{ij} \f$
/// \f[
///   o_i = \frac{\sum_j e^{s_{ij} - m_i}\, v_j}{\sum_j e^{s_{ij} - m_i}}, \qquad
///   L_i = m_i + \ln \sum_j e^{s_{ij} - m_i} .
/// \f]
/// Every exponential is now at most 1 and one of them is exactly 1, so the denominator lies between 1 and the number
/// of keys, whatever the scores. Small weights may underflow to 0; they were smaller than any rounding of the result.
/// (Blanchard, Higham & Higham, arXiv 1909.03469, show that the shift costs no accuracy.)
///
/// The price is order: m must be known before the first weight, so each row of scores is walked twice. A row without
/// visible keys has m = -infinity, and s - m would be infinity - infinity: it must leave before the subtraction. A sink
/// takes part in m as it does in the denominator: it may well be the largest logit of all.

namespace attestone {

Answer stable_attention(const Problem&, const Inputs&);

}  // namespace attestone
