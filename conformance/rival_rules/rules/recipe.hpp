// SPDX-License-Identifier: Apache-2.0
// Recipes: how other projects compute the low-precision baseline that they compare a kernel with.
#pragma once

namespace attestone::inline conformance {

/// Attention step by step as a deep-learning framework runs it. Matrix products and softmax sum in f32, from the first
/// term to the last; O and the gradients are rounded to the output format. What is rounded to the input format on the
/// way differs from project to project.
struct Recipe {
  enum class Rounds {
    nothing,     ///< f32 throughout
    matrices,    ///< what a matrix product makes or takes: q.k, P, dO.v, dS
    everything,  ///< those, and the scores after each of scale, softcap and bias
  };
  enum class Scales {
    scores,         ///< scale q.k, behind the product
    key,            ///< k' = scale k before it
    query_and_key,  ///< q' = scale^1/2 q and k' = scale^1/2 k before it; of a negative scale q' takes the sign
  };
  Rounds rounds = Rounds::nothing;
  Scales scales = Scales::scores;
  bool delta_from_output = false;  ///< delta = sum_c O dO of the rounded O, instead of sum_j P dP
  bool absolute_values = false;    ///< |v| instead of v: a magnitude for each element of O

  auto operator<=>(const Recipe&) const = default;
};

}  // namespace attestone::inline conformance
