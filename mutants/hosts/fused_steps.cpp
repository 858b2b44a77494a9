// SPDX-License-Identifier: Apache-2.0
// The faultless steps of the fused backward pass.
#include <cmath>
#include <limits>

#include "backends/cpu/parts/philox.hpp"
#include "mutants/hosts/fused.hpp"

namespace attestone::inline mutants {

bool kept_pair(const Problem& problem, const Pair& at) {
  const auto word = [](index i) { return static_cast<std::uint32_t>(i); };
  return first_philox_word(problem.seed, {word(at.batch), word(at.head), word(at.query), word(at.key)}) >=
         std::floor(problem.dropout * 0x1p32);
}

float FusedSteps::delta(std::span<const float> dO, std::span<const float> O, const DType&) const {
  float delta = 0;
  for (std::size_t c = 0; c < O.size(); ++c) delta += dO[c] * O[c];
  return delta;
}

float FusedSteps::weight(float s, float L) const {
  return s == -std::numeric_limits<float>::infinity() ? 0 : std::exp(s - L);
}

void FusedSteps::differentiate(ScoreGradient& pair, float delta) const {
  pair.dbias = pair.p * (pair.dp - delta);
  pair.dq_s = pair.dk_s = pair.dbias * pair.slope;
}

}  // namespace attestone::inline mutants
