// SPDX-License-Identifier: Apache-2.0
// The faultless steps of the tiled kernel.
#include <cmath>
#include <cstdlib>
#include <limits>

#include "backends/cpu/parts/codec.hpp"
#include "mutants/hosts/fused.hpp"
#include "mutants/hosts/tiled.hpp"

namespace attestone::inline mutants {

float weight(float s, float m) { return s == -std::numeric_limits<float>::infinity() ? 0 : std::exp(s - m); }

float TiledSteps::capped(float score, std::optional<float> cap) const {
  return cap ? *cap * std::tanh(score / *cap) : score;
}

float TiledSteps::masked(float score, std::optional<float> cap, bool visible) const {
  return visible ? capped(score, cap) : -std::numeric_limits<float>::infinity();
}

double TiledSteps::alibi(double slope, const Sequence& sequence, const Pair& at) const {
  return -slope * static_cast<double>(std::abs(sequence.position(at.query) - at.key));
}

float TiledSteps::biased(float score, std::optional<float> cap, bool visible, double bias) const {
  constexpr double hidden = -std::numeric_limits<double>::infinity();  // whatever the score is
  return static_cast<float>(bias == hidden ? hidden : double{masked(score, cap, visible)} + bias);
}

bool TiledSteps::keeps(const Problem& problem, const Pair& at) const { return kept_pair(problem, at); }

float TiledSteps::shrink_sum(float m_before, float m) const { return weight(m_before, m); }

float TiledSteps::shrink_output(float m_before, float m) const { return weight(m_before, m); }

float TiledSteps::weight_for_values(float p, const DType& input) const {
  round_weights({&p, 1}, input);
  return p;
}

void TiledSteps::accumulate(std::span<float> O, float p, std::span<const float> v, bool visible) const {
  if (!visible) return;
  for (std::size_t c = 0; c < O.size(); ++c) O[c] += p * v[c];
}

float TiledSteps::log_sum_exp(float m, float l) const { return static_cast<float>(double{m} + std::log(double{l})); }

}  // namespace attestone::inline mutants
