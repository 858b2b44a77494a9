// SPDX-License-Identifier: Apache-2.0
// The matrix products of attention over panels: the two loops in which nearly all of the time goes. What comes next is
// fetched meanwhile.
#pragma once

#include "backends/cpu/simd/coming_rows.hpp"
#include "backends/cpu/simd/panel.hpp"

namespace attestone::inline backends {

/// S[keys][32] = factor * K Q^T, with K[keys][dim] in rows and Q^T[dim][32] a panel; largest[32] = max(largest, columns
/// of S), where NaN is passed over: it returns through its own exponential.
///
/// Each element is one chain of multiply-adds along dim, multiplied once.
void score_keys(FloatMatrixRows K, index keys, index dim, const float* QT, float factor, float* S, float* largest,
                const ComingRows& coming = {});

/// O^T[channels][32] = shrink[32] O^T + V^T P, with V[keys][channels] in rows and P[keys][32] a panel.
///
/// Each element is one chain along the keys that starts at zero, added once, by a multiply-add.
void add_weighted_rows(FloatMatrixRows V, index keys, index channels, const float* P, const float* shrink, float* OT,
                       const ComingRows& coming = {});

/// dV[keys][width] += P dO, with P[keys][32] a panel, dO[queries][width] in rows and a width that is a multiple of 32.
///
/// Each element is one chain along the queries that starts at zero, added once.
void add_weights_times_rows(const float* P, index keys, FloatMatrixRows dO, index queries, index width, float* dV);

}  // namespace attestone::inline backends
