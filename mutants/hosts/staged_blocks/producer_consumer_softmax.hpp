// SPDX-License-Identifier: Apache-2.0
// The running softmax of the rows of a tile: sums are rescaled only where a maximum moved.
#pragma once

#include "mutants/hosts/staged_blocks/producer_consumer_scores.hpp"

namespace attestone::inline mutants::staged_blocks::producer_consumer {

inline float or_zero(float maximum) { return maximum == -kInfinity ? 0.0f : maximum; }

struct Softmax {
  Int width;
  Floats m, l, o;  ///< maximum, sum, unnormalised output
  Softmax(Int rows, Int value_dim) : width(value_dim), m(at(rows), -kInfinity), l(at(rows)), o(at(rows * value_dim)) {}

  float* output(Int row) { return o.data() + row * width; }
  const float* output(Int row) const { return o.data() + row * width; }

  void raise(Int row, float maximum) {
    float &top = m[at(row)], &sum = l[at(row)];
    if (sum != 0) {
      const float shrink = top == -kInfinity ? 0.0f : std::exp(top - maximum);
      sum *= shrink;
      for (Int d = 0; d < width; ++d) output(row)[d] *= shrink;
    }
    top = maximum;
  }
  /// Takes the scores of a row against a stage.
  template <class P>
  void step(Int row, const ScoreRow<P>& s, const float* v, Format in) {
    float top = -kInfinity;
    for (Int j = 0; j < P::kBlockN; ++j)
      if (!s.hidden[at(j)] && s.score[at(j)] > top) top = s.score[at(j)];
    const float before = m[at(row)];
    if (top > before && (before == -kInfinity || top - before > P::kRescaleAbove)) raise(row, top);
    const float reference = or_zero(m[at(row)]);
    float sum = 0.0f;
    for (Int j = 0; j < P::kBlockN; ++j) {
      if (s.hidden[at(j)]) continue;
      const float p = P::exponential(s.score[at(j)] - reference);
      sum += p;
      if (p == 0 || s.factor[at(j)] == 0) continue;
      const float w = rounded(p, in) * s.factor[at(j)];
      for (Int d = 0; d < width; ++d) output(row)[d] += w * v[j * width + d];
    }
    l[at(row)] += sum;
  }
  /// The sink is one more entry, without a value.
  void add_sink(Int row, float sink) {
    if (sink == -kInfinity) return;
    if (sink > m[at(row)]) raise(row, sink);
    l[at(row)] += std::exp(sink - or_zero(m[at(row)]));
  }
  float log_sum_exp(Int row) const { return l[at(row)] == 0 ? -kInfinity : or_zero(m[at(row)]) + std::log(l[at(row)]); }
};

}  // namespace attestone::inline mutants::staged_blocks::producer_consumer
