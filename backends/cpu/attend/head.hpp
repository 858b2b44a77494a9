// SPDX-License-Identifier: Apache-2.0
// One head of one sequence, as tiles of its queries see it, and the scores made of q.k in it: set up once a call.
#pragma once
#include <optional>

#include "backends/cpu/parts/codec.hpp"
#include "backends/cpu/parts/formula_bias.hpp"
#include "backends/cpu/parts/head_sink.hpp"
#include "backends/cpu/parts/visible_tiles.hpp"
#include "backends/cpu/simd/panel.hpp"
#include "backends/kernel.hpp"

namespace attestone::inline backends {

/// The scores of one head in base 2: they are multiplied by log2(e), so that exp becomes exp2. The constant is folded
/// into the scale (or the cap), which costs no operation.
class HeadScores {
 public:
  HeadScores(const Problem&, const KernelInputs&, index batch, index head);

  /// By what q.k is multiplied at once.
  float factor() const { return factor_; }
  /// True if `finish` has anything to do.
  bool unfinished() const { return cap_ || bias_ || formula_; }
  /// True if biases must be read.
  bool biased() const { return bias_.has_value(); }

  /// biases[keys][32] of the tensor, through `rows` [32][keys]. -infinity hides a pair.
  void read_biases(Interval queries, Interval keys, float* rows, float* biases) const;
  /// Turns S[keys][32] = factor * q.k into scores; `biases` as above, if there are any. If `slopes` are asked for, they
  /// become the derivative of the cap, 1 - tanh^2.
  void finish(float* S, Interval queries, Interval keys, const float* biases, float* slopes = nullptr) const;
  /// True if slopes other than 1 occur.
  bool capped() const { return cap_.has_value(); }

 private:
  void add_formula(float* S, Interval queries, Interval keys) const;

  index batch_, head_;
  float factor_;
  std::optional<float> cap_;  ///< in base 2
  FormulaBias formula_;       ///< in base 2
  std::optional<FloatRows> bias_;
};

/// One query head: what of it is resolved once a call.
struct AttendedHead {
  AttendedHead(const Problem& problem, const KernelInputs& inputs, index in_batch, index in_head)
      : batch(in_batch),
        head(in_head),
        kv_head(problem.shape.kv_head(in_head)),
        sequence(problem.sequence(in_batch)),
        visible(problem, inputs, in_batch, in_head),
        scores(problem, inputs, in_batch, in_head),
        sink(inputs, in_head) {}

  /// seen[keys] becomes the queries, at most 32, that see each key, by the mask and the biases; those are read into
  /// `biases` [2][keys][32], if there are any.
  void see(Interval queries, Interval keys, QuerySet* seen, float* biases) const;

  index batch, head, kv_head;
  Sequence sequence;  ///< the real lengths
  VisibleTiles visible;
  HeadScores scores;
  HeadSink sink;
};

/// All heads of a problem, batch by batch.
std::vector<AttendedHead> attended_heads(const Problem&, const KernelInputs&);

}  // namespace attestone::inline backends
