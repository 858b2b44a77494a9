// SPDX-License-Identifier: Apache-2.0
// Step 1 of the ladder: attention as it is defined.
#pragma once

#include "reference/attention/answer.hpp"
#include "reference/call/tensors.hpp"

/// @page ladder_1_definition 1. The definition
///
/// Query i sees the set of keys N(i). With scores \f$ s_{ij} = \mathrm{scale} \cdot q_i \cdot k_j \f$, capped and
/// biased if the problem says so,
/// \f[
///   p_{ij} = \frac{e^{s_{ij}}}{\ell_i}, \qquad \ell_i = \sum_{j \in N(i)} e^{s_{ij}}, \qquad
///   o_i = \sum_{j \in N(i)} p_{ij}\, v_j, \qquad L_i = \ln \ell_i .
/// \f]
/// An average of the rows of V, with weights that grow exponentially with the scores (Vaswani et al.,
/// arXiv 1706.03762, equation 1). If N(i) is empty there is nothing to average: o = 0 and L = -infinity.
///
/// Two refinements touch one of the sums each. A sink with the logit z is one more key in \f$ \ell \f$ that has no
/// value: \f$ \ell_i = e^{z} + \sum_j e^{s_{ij}} \f$, so that the weights of the keys add up to less than 1, and an
/// empty row has L = z. Dropout is one factor in O: \f$ o_i = \sum_j D_{ij}\, p_{ij}\, v_j \f$, where \f$ D_{ij} \f$ is
/// 0 for a dropped pair and 1 / (1 - rate) for one that is kept, so that it is 1 on average; L knows nothing of it.
///
/// Over the real numbers this is all there is. In floating point \f$ e^{s} \f$ overflows at s = 710 in double, and at
/// s = 89 in float: the next step repairs that.

namespace attestone {

Answer attention_by_definition(const Problem&, const Inputs&);

}  // namespace attestone
