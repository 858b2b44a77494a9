// SPDX-License-Identifier: Apache-2.0
// The backward pass of a panel of queries between its products (T. Dao, "FlashAttention-2", arXiv 2307.08691, Algorithm
// 2, lines 11 to 14): hidden pairs have no weight and no gradient, whatever their scores are.
#pragma once

#include "backends/cpu/simd/panel.hpp"

namespace attestone::inline backends {

/// delta[queries] = the sum of dO O [queries][channels] over the channels.
void sums_of_products(FloatMatrixRows dO, FloatMatrixRows O, index queries, index channels, float* delta);

/// S[keys][32] becomes P = 2^(S - L) where seen[key] says so, else 0; L[32] is log_sum_exp in base 2. The difference is
/// formed in double, so that it has one rounding only; a weight is at most 1, should rounding have put S above L.
void weights_from_log_sum_exp(float* S, index keys, const double* L, const QuerySet* seen);

/// dP[keys][32] becomes dB = P (factor dP - delta) where seen[key] says so, else 0.
void bias_gradients(const float* P, float* dP, index keys, const float* delta, double factor, const QuerySet* seen);

/// Multiplies the elements [count] of dB that are seen by the slopes of the cap; others stay 0.
void multiply_by_slopes(float* dB, const float* slopes, index keys, const QuerySet* seen);

}  // namespace attestone::inline backends
