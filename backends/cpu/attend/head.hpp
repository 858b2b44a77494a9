// SPDX-License-Identifier: Apache-2.0
// One head of one sequence, as tiles of its queries see it: set up once a call.
#pragma once

#include "backends/cpu/attend/head_scores.hpp"
#include "backends/cpu/parts/head_sink.hpp"
#include "backends/cpu/parts/visible_tiles.hpp"

namespace attestone::inline backends {

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
