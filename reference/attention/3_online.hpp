// SPDX-License-Identifier: Apache-2.0
// Step 3 of the ladder: one walk, in which the maximum is corrected as it rises.
#pragma once

#include "reference/attention/answer.hpp"
#include "reference/call/tensors.hpp"

/// @page ladder_3_online 3. Online softmax
///
/// Keep three numbers (the third has value_dim channels) that describe the keys seen so far: the running maximum m, the
/// sum \f$ \ell = \sum e^{s_j - m} \f$ and the weighted sum \f$ a = \sum e^{s_j - m} v_j \f$. When key j arrives,
/// \f[
///   m' = \max(m, s_j), \qquad \ell' = e^{m - m'}\, \ell + e^{s_j - m'}, \qquad
///   a' = e^{m - m'}\, a + e^{s_j - m'}\, v_j .
/// \f]
/// If the maximum stays, the first factor is 1; if it rises, the second is 1 and everything so far shrinks. The
/// invariant holds after every key, so after the last one \f$ o = a / \ell \f$ and \f$ L = m + \ln \ell \f$. Without a
/// sink the walk begins at m = -infinity and \f$ \ell = 0 \f$; with one of logit z at m = z and \f$ \ell = 1 \f$.
///
/// The two walks of step 2 have become one, and no row of scores is stored (Milakov & Gimelshein, arXiv 1805.02867;
/// with the weighted sum: Rabe & Staats, arXiv 2112.05682). Forgetting to shrink a along with l is the classic mistake.

namespace attestone {

Answer online_attention(const Problem&, const Inputs&);

}  // namespace attestone
