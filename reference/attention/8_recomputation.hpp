// SPDX-License-Identifier: Apache-2.0
// Step 8 of the ladder: the gradients in tiles, from the answer and its log_sum_exp alone.
#pragma once

#include "reference/attention/answer.hpp"
#include "reference/attention/gradient.hpp"

/// @page ladder_8_recomputation 8. Recomputation
///
/// Step 6 needs all weights of a row at once, and the forward pass of step 4 kept none of them. It need not have: two
/// numbers a row bring them back. With the \f$ L_i \f$ that forward returned,
/// \f[
///   p_{ij} = e^{s_{ij} - L_i}
/// \f]
/// is the final weight at once, without a maximum and without a sum; and since \f$ o_i \f$ is known as well,
/// \f[
///   \delta_i = \sum_j p_{ij}\, dp_{ij} = \sum_j D_{ij}\, p_{ij}\, do_i \cdot v_j = do_i \cdot o_i
/// \f]
/// is a product of two rows. Now pairs can be visited in any order, so in tiles: a tile of keys stays, with its
/// \f$ dK \f$ and \f$ dV \f$, while tiles of queries pass by, and \f$ dQ \f$ is added to from every tile of keys
/// (Dao, arXiv 2307.08691, Algorithm 2). For a tile of \f$ B_r \f$ queries and \f$ B_c \f$ keys everything is a product
/// of matrices, or done element by element (\f$ \circ \f$):
/// \f[
///   S = \mathrm{score}(Q K^\top), \qquad P = e^{S - L}, \qquad dP = D \circ (dO\, V^\top), \qquad
///   dS = P \circ (dP - \delta), \qquad dU = \frac{\partial s}{\partial (q \cdot k)} \circ dS ,
/// \f]
/// \f[
///   dV \mathrel{+}= (D \circ P)^\top dO, \qquad dK \mathrel{+}= dU^\top Q, \qquad dQ \mathrel{+}= dU\, K .
/// \f]
/// Five products where the forward pass has two. Memory is linear in the lengths; the price is that \f$ S \f$ is
/// computed twice.
///
/// A sink needs no visit of its own: the ds of a row add up to zero, so its gradient is minus the sum of all others.
///
/// Two traps. An L that is not of these scores (another base, or before the scale) makes every weight wrong by a
/// factor. And a hidden pair sends exactly 0, whatever its K, V and dO hold: its P and dS are set, not multiplied, to
/// 0, and a product leaves out what its left matrix has no part in. A row without visible keys has an L of -infinity,
/// and only hidden pairs.

namespace attestone {

/// The gradients of <O, dO>, where `answer` is that of the forward pass.
Gradient recomputed_gradient(const Problem&, const Inputs&, const Answer& answer, index query_block = 4,
                             index key_block = 8);

}  // namespace attestone
