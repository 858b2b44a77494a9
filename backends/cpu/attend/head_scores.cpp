// SPDX-License-Identifier: Apache-2.0
// Resolving the score of a problem once a head, and applying it to panels.
#include "backends/cpu/attend/head_scores.hpp"

#include <numbers>

#include "backends/cpu/parts/score_row.hpp"
#include "backends/cpu/simd/score_terms.hpp"
#include "backends/cpu/simd/transpose.hpp"
#include "reference/require.hpp"

namespace attestone {
namespace {

constexpr double unit = std::numbers::log2e;  ///< of the base, in nats

}  // namespace

HeadScores::HeadScores(const Problem& problem, const KernelInputs& inputs, index batch, index head)
    : batch_(batch), head_(head), shift_(problem.sequence(batch).keys - problem.sequence(batch).queries) {
  const std::optional<double> cap = problem.score.softcap();
  factor_ = static_cast<float>(cap ? problem.scale() / *cap : problem.scale() * unit);
  if (cap) cap_ = static_cast<float>(*cap * unit);
  if (inputs.bias) bias_.emplace(*inputs.bias);
  require(!ScoreRow::unknown_rule(problem.score), "a kernel refuses biases that it does not know");
  const ScoreTerm* bias = problem.score.bias_formula();
  if (!bias) return;
  if (bias->rule == "alibi") alibi_slope_ = double{own_alibi_slope(head, problem.shape.heads)} * unit;
  if (bias->rule == "relative_position") relative_slope_ = double{static_cast<float>(bias->argument)} * unit;
}

void HeadScores::read_biases(Interval queries, Interval keys, float* rows, float* biases) const {
  for (index query = queries.first; query <= queries.last; ++query)
    bias_->read(batch_, head_, query, keys, rows + (query - queries.first) * keys.count());
  rows_to_panel({rows, keys.count()}, queries.count(), keys.count(), biases);
}

void HeadScores::finish(float* S, Interval queries, Interval keys, const float* biases, float* slopes) const {
  const index count = keys.count() * panel_queries, distance = keys.first - (queries.first + shift_);
  if (cap_) cap_scores(S, count, *cap_, slopes);
  if (bias_) add_biases(S, count, biases, unit);
  if (alibi_slope_) subtract_absolute_distances(S, keys.count(), distance, *alibi_slope_);
  if (relative_slope_) add_distances(S, keys.count(), distance, *relative_slope_);
}

}  // namespace attestone
