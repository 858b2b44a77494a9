// SPDX-License-Identifier: Apache-2.0
// The backward pass of the tiled kernel, fused: one walk over the tiles gives dQ, dK and dV, and every step has a name.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "backends/cpu/parts/tile_mask.hpp"
#include "backends/kernel.hpp"

namespace attestone::inline mutants {

/// True if dropout keeps the pair (docs/rules.md, rule 7), by the kernels' own Philox.
bool kept_pair(const Problem&, const Pair&);

/// The score of one pair on its way back.
struct ScoreGradient {
  float p;                  ///< the weight
  float dp;                 ///< dO.v, after dropout
  float slope;              ///< 1 - tanh^2
  float dbias, dq_s, dk_s;  ///< what the bias, dQ and dK receive: dS after and before the slope, see differentiate
};

/// The steps, faultless. A mutant overrides one. T. Dao, "FlashAttention-2" (arXiv 2307.08691), Algorithm 2: with the
/// row's L and delta, P = e^(S - L), dP = dO V^T, dS = P (dP - delta), dQ += dS K, dK += dS^T Q, dV += P^T dO.
class FusedSteps {
 public:
  /// Queries and keys per tile.
  static constexpr index tile = 16;

  virtual ~FusedSteps() = default;

  // Which elements take part.
  virtual TileMask mask(const Mask& mask, const Sequence& sequence) const { return *TileMask::of(mask, sequence); }
  virtual index queries_read(index queries) const { return queries; }
  virtual bool keeps(const Problem& problem, const Pair& at) const { return kept_pair(problem, at); }
  virtual bool weighs_hidden_pairs() const { return false; }  // with p = 0, instead of leaving them out
  virtual bool starts_at_zero() const { return true; }        // the sums of dQ

  // One row.
  virtual float delta(std::span<const float> dO, std::span<const float> O, const DType& stored) const;
  virtual index gradient_channels(const Shape& shape) const { return shape.value_dim; }  // of dO.v

  // One pair.
  virtual float weight(float s, float L) const;
  virtual float kept_factor(double rate) const { return static_cast<float>(1 / (1 - rate)); }
  virtual float slope(float t) const { return 1 - t * t; }  // of the cap, t = tanh(s / cap)
  /// From p, dp and slope to what Q, K and the bias receive.
  virtual void differentiate(ScoreGradient&, float delta) const;

  // Sums and factors.
  virtual float query_factor(float scale) const { return scale; }
  virtual float key_factor(float scale) const { return scale; }
  virtual float key_sum(float sum, float term) const { return sum + term; }    // dK over queries
  virtual float group_sum(float sum, float head) const { return sum + head; }  // dK and dV over the heads of a group
  virtual float bias_sum(float sum, float term) const { return sum + term; }   // over the axes that the bias lacks
  virtual float sink_sum(float sum, float term) const { return sum + term; }
};

/// Runs these steps.
void fused_backward(const Problem&, const BackwardArguments&, Device&, const FusedSteps&);

/// 4 bytes * (2 value_dim + dim for a row of q, dO and O; 16 (2 dim + 2 value_dim) for tiles of K, V, dK, dV; queries
/// dim for dQ of a head; keys (dim + value_dim) for dK and dV of a group; the elements of the bias; heads if there are
/// sinks).
index fused_backward_bytes(const Problem&);

/// The tiled kernel with a wrong backward pass.
SharedKernel fused_kernel(std::string name, std::shared_ptr<const FusedSteps>);
template <class Steps>
SharedKernel fused_mutant(std::string name) {
  return fused_kernel(std::move(name), std::make_shared<const Steps>());
}

}  // namespace attestone::inline mutants
