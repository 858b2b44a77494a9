// SPDX-License-Identifier: Apache-2.0
// Setting up every head of a problem, asking one what it sees, and turning its products into scores.
#include "backends/cpu/attend/head.hpp"

#include <numbers>

#include "backends/cpu/simd/score_terms.hpp"
#include "backends/cpu/simd/transpose.hpp"

namespace attestone::inline backends {
namespace {

constexpr double unit = std::numbers::log2e;  ///< of the base, in nats

}  // namespace

HeadScores::HeadScores(const Problem& problem, const KernelInputs& inputs, index batch, index head)
    : batch_(batch), head_(head), formula_(problem, inputs, batch, head, unit) {
  const std::optional<double> cap = problem.score.softcap();
  factor_ = static_cast<float>(cap ? problem.scale() / *cap : problem.scale() * unit);
  if (cap) cap_ = static_cast<float>(*cap * unit);
  if (inputs.bias) bias_.emplace(*inputs.bias);
}

void HeadScores::read_biases(Interval queries, Interval keys, float* rows, float* biases) const {
  for (index query = queries.first; query <= queries.last; ++query)
    bias_->read(batch_, head_, query, keys, rows + (query - queries.first) * keys.count());
  rows_to_panel({rows, keys.count()}, queries.count(), keys.count(), biases);
}

void HeadScores::finish(float* S, Interval queries, Interval keys, const float* biases, float* slopes) const {
  const index count = keys.count() * panel_queries;
  if (cap_) cap_scores(S, count, *cap_, slopes);
  if (bias_) add_biases(S, count, biases, unit);
  if (formula_) add_formula(S, queries, keys);
}

void HeadScores::add_formula(float* S, Interval queries, Interval keys) const {
  const auto& alibi = formula_.alibi_slope;
  const auto& relative = formula_.relative_slope;
  if (const index* key_positions = formula_.key_positions(keys.first)) {
    alignas(allocation_alignment) double positions[panel_queries] = {};
    for (index i = 0; i < queries.count(); ++i)
      positions[i] = static_cast<double>(formula_.position(queries.first + i));
    const PanelPositions at{key_positions, positions};
    if (alibi) subtract_absolute_distances(S, keys.count(), at, *alibi);
    if (relative) add_distances(S, keys.count(), at, *relative);
  } else {
    const index distance = keys.first - formula_.position(queries.first);
    if (alibi) subtract_absolute_distances(S, keys.count(), distance, *alibi);
    if (relative) add_distances(S, keys.count(), distance, *relative);
  }
}

void AttendedHead::see(Interval queries, Interval keys, QuerySet* seen, float* biases) const {
  visible.see(queries, keys, seen);
  if (!scores.biased()) return;
  scores.read_biases(queries, keys, biases + keys.count() * panel_queries, biases);
  for (index i = 0; i < keys.count() * panel_queries; ++i)
    if (biases[i] == -std::numeric_limits<float>::infinity())
      seen[i / panel_queries] &= ~(QuerySet{1} << i % panel_queries);
}

std::vector<AttendedHead> attended_heads(const Problem& problem, const KernelInputs& inputs) {
  std::vector<AttendedHead> heads;
  heads.reserve(static_cast<std::size_t>(problem.shape.batch * problem.shape.heads));
  for (index batch = 0; batch < problem.shape.batch; ++batch)
    for (index head = 0; head < problem.shape.heads; ++head) heads.emplace_back(problem, inputs, batch, head);
  return heads;
}

}  // namespace attestone::inline backends
