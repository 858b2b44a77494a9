// SPDX-License-Identifier: Apache-2.0
// Step 6 of the ladder: the gradients, by the chain rule.
#pragma once

#include "reference/attention/gradient.hpp"

/// @page ladder_6_backward 6. Backward
///
/// Let dO be the gradient of some number with respect to O: which gradients do the inputs have? Walk back through the
/// formula of step 1, one row i at a time. \f$ o_i = \sum_j D_{ij}\, p_{ij}\, v_j \f$ gives
/// \f[
///   dv_j = \sum_i D_{ij}\, p_{ij}\, do_i, \qquad dp_{ij} = D_{ij}\; do_i \cdot v_j .
/// \f]
/// The softmax turns each weight against all others, since they share a sum: with
/// \f$ \delta_i = \sum_j p_{ij}\, dp_{ij} \f$, which is \f$ do_i \cdot o_i \f$,
/// \f[
///   ds_{ij} = p_{ij}\, (dp_{ij} - \delta_i), \qquad \sum_j ds_{ij} = 0 .
/// \f]
/// A sink is one more weight in that sum. It has no value, so its dp is 0 and its \f$ dz = -p_z\, \delta_i \f$.
/// The bias is added to s, so \f$ ds_{ij} \f$ is its gradient. Before it, with \f$ u = \mathrm{scale}\; q_i \cdot k_j
/// \f$, softcap has the slope \f$ 1 - \tanh^2(u / c) \f$, and so \f[
///   dq_i = \sum_j ds_{ij}\, \frac{\partial s}{\partial (q \cdot k)}\, k_j, \qquad
///   dk_j = \sum_i ds_{ij}\, \frac{\partial s}{\partial (q \cdot k)}\, q_i, \qquad
///   \frac{\partial s}{\partial (q \cdot k)} = \mathrm{scale}\, (1 - \tanh^2(u / c)) .
/// \f]
/// An input that several pairs share receives the sum over them: a kv head that of its whole group of query heads, a
/// bias without a head axis that of all heads, a sink that of all rows of its head. An empty row sends exactly 0
/// (docs/rules.md, rules 4 and 8).

namespace attestone {

/// The gradients of <O, dO>. The problem asks for them: pass=forward+backward.
Gradient attention_gradient(const Problem&, const Inputs&);

}  // namespace attestone
