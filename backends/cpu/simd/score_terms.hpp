// SPDX-License-Identifier: Apache-2.0
// The steps of a panel's scores between the product and the softmax. Whatever is added is added in double, so
// that the only rounding is that of the sum.
#pragma once

#include "backends/cpu/simd/panel.hpp"

namespace attestone::inline backends {

/// S[count] becomes cap * tanh(S), and slopes[count], unless null, 1 - tanh(S)^2.
void cap_scores(float* S, index count, float cap, float* slopes);

/// S[count] += unit * biases[count].
void add_biases(float* S, index count, const float* biases, double unit);

/// S[keys][32] += slope * (key - position), where the first key is `distance` behind the position of query 0.
void add_distances(float* S, index keys, index distance, double slope);

/// Adds -slope * |key - position|.
void subtract_absolute_distances(float* S, index keys, index distance, double slope);

/// Where keys and the queries of a panel stand that are no neighbours.
struct PanelPositions {
  const index* keys;      ///< [keys]
  const double* queries;  ///< [32]
};

/// Adds the distances for keys and queries at such positions.
void add_distances(float* S, index keys, const PanelPositions&, double slope);
void subtract_absolute_distances(float* S, index keys, const PanelPositions&, double slope);

}  // namespace attestone::inline backends
