// SPDX-License-Identifier: Apache-2.0
// Reading scores back through the ratio of two weights.
#include "conformance/diagnosis/probes/effective_scores.hpp"

#include <cmath>
#include <optional>

#include "conformance/diagnosis/probes/shown_weights.hpp"
#include "conformance/diagnosis/probes/two_keys.hpp"
#include "reference/call/visible_pairs.hpp"

namespace attestone::inline conformance {
namespace {

/// One place, and how a probe puts <q, k> there: as `query` times q_k / query in one channel.
struct ScoreProbe {
  TwoKeys at;
  index channel;
  double query;
  index visible;  ///< how many keys the query sees

  /// Only K of the moved key is not 0; a sink is 0, like the scores of all other keys.
  ElementSource source(const Problem& problem, double q_k) const {
    const KeyRow moved = key_row(problem, at.batch, at.head, at.moved);
    return [this, moved, q_k](const Element& e) {
      if (e.channel != channel) return 0.0;
      if (e.tensor == TensorName::query) return query;
      return e.tensor == TensorName::key && e.batch == moved.batch && e.head == moved.kv_head && e.row == moved.key
                 ? q_k / query
                 : 0.0;
    };
  }
};

/// The kernel's score of <q, k>; nothing unless both weights are what such a score among so many keys gives: a
/// kernel that hides one of them, loses others, or divides by another sum has said nothing of its scores.
std::optional<double> score_of(Trial& trial, const ScoreProbe& probe, double q_k) {
  const Problem& problem = trial.problem();
  const auto weight = [&](index key) -> std::optional<double> {
    const KeyRow shown = key_row(problem, probe.at.batch, probe.at.head, key);
    const auto weights =
        weights_of(trial, one_key_shown(problem, shown, probe.source(problem, q_k)), probe.at.batch, probe.at.head);
    if (!weights) return std::nullopt;
    return (*weights)[static_cast<std::size_t>(probe.at.query)];
  };
  const std::optional<double> moved = weight(probe.at.moved), still = weight(probe.at.still);
  if (!moved || !still || !(*moved > 0) || !(*still > 0)) return std::nullopt;
  const double score = std::log(*moved / *still);
  const double others = static_cast<double>(probe.visible - 1) + (problem.score.has_sink() ? 1 : 0);
  const double right = 1 / (others + std::exp(score));
  if (!(std::abs(*still - right) <= coarsest_rounding(problem, score) * right)) return std::nullopt;
  return score;
}

/// True if two numbers are the same score, as far as the coarsest rounding goes.
bool same_score(const Problem& problem, double a, double b) {
  return std::abs(a - b) <= coarsest_rounding(problem, std::max(std::abs(a), std::abs(b)));
}

}  // namespace

std::vector<ScoreReadOut> wrong_scores(const Kernel& kernel, const Problem& problem) {
  if (problem.score.has_bias() || problem.dropout > 0 || problem.scale() == 0) return {};
  const ScoreStage stage = kernel.numerics(problem).score;
  if (stage.query_codes.happen() || stage.key_codes.happen()) return {};
  const auto places = two_keys(problem);
  if (!places) return {};
  const VisiblePairs visible(problem);
  const auto probe = [&](const TwoKeys& at, index channel, double query) {
    return ScoreProbe{at, channel, query, visible.count(at.batch, at.head, at.query)};
  };
  // Another query, other keys, another channel, another share of q and k in the same product.
  const ScoreProbe probes[] = {probe((*places)[0], 0, 1), probe((*places)[1], problem.shape.dim - 1, -2)};
  Problem forward = problem;
  forward.drop_gradients(), forward.wants.clear();
  Trial trial(kernel, forward);
  std::vector<ScoreReadOut> wrong;
  for (const double score : {0.0, -4.0, -1.0, 1.0, 4.0}) {
    const double q_k = forward.input.round(score / forward.scale()), raw = q_k * forward.scale();
    const auto cap = forward.score.softcap();
    const double right = cap ? *cap * std::tanh(raw / *cap) : raw;
    if (!(coarsest_rounding(forward, right) < too_coarse)) return {};
    const std::optional<double> got = score_of(trial, probes[0], q_k), again = score_of(trial, probes[1], q_k);
    if (!got || !again || !same_score(forward, *got, *again)) return {};
    if (score == 0 && !same_score(forward, *got, 0)) return {};  // one key outweighs the other, whatever its score
    if (!same_score(forward, *got, right)) wrong.push_back({q_k, *got, right});
  }
  return wrong;
}

}  // namespace attestone::inline conformance
