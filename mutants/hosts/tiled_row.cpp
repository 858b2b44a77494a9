// SPDX-License-Identifier: Apache-2.0
// The online softmax of one row, step by step.
#include "mutants/hosts/tiled_row.hpp"

#include <algorithm>
#include <cmath>

#include "backends/cpu/parts/codec.hpp"
#include "backends/cpu/parts/formula_bias.hpp"
#include "backends/cpu/parts/limits.hpp"

namespace attestone::inline mutants {
namespace {

constexpr index tile = TiledSteps::tile;

}  // namespace

TiledScratch::TiledScratch(Device& device, const Shape& shape)
    : q(device, shape.dim, "row of queries"),
      K(device, tile * shape.dim, "keys"),
      V(device, tile * shape.value_dim, "values"),
      S(device, tile, "row of scores"),
      O(device, shape.value_dim, "row of out") {}

index TiledScratch::bytes(const Shape& shape) {
  const index floats = shape.dim + tile * shape.dim + tile * shape.value_dim + tile + shape.value_dim;
  return floats * static_cast<index>(sizeof(float));
}

void TiledRow::attend(Interval keys) {
  FloatRows(steps.query(arguments)).read(batch, head, query, scratch.q.data());
  std::fill(scratch.O.span().begin(), scratch.O.span().end(), 0.0f);
  m = largest_logit = -std::numeric_limits<float>::infinity(), l = 0;
  for (const Interval& here : equal_stretches(keys.count(), tile)) {
    const index first = keys.first + here.first;
    load(first, here.count());
    for (index j = 0; j < here.count(); ++j) scratch.S[j] = score(j, first + j);
    if (arguments.max_logits) raise_largest(first, here.count());
    take_in(first, here.count());
  }
}

void TiledRow::load(index first, index keys) const {
  const index kv_head = steps.kv_head(head, problem.shape);
  const FloatRows key(steps.key(arguments)), value(steps.value(arguments));
  for (index j = 0; j < keys; ++j) {
    const index row = steps.key_row(batch, first + j);
    key.read(batch, kv_head, row, scratch.K.data() + j * problem.shape.dim);
    value.read(batch, kv_head, row, scratch.V.data() + j * problem.shape.value_dim);
  }
}

/// The term added to the score of the pair.
double TiledRow::bias(const Pair& at) const {
  if (arguments.bias) return steps.bias(*arguments.bias, at);
  const ScoreTerm* term = problem.score.bias_formula();
  if (!term) return 0;
  if (term->rule == "alibi") return steps.alibi(own_alibi_slope(head, problem.shape.heads), sequence, at);
  require(term->rule == "relative_position", "tiled_limits refuses other biases");
  return static_cast<float>(term->argument) * static_cast<double>(at.key - sequence.position(query));
}

std::optional<float> TiledRow::cap() const {
  const std::optional<double> given = problem.score.softcap();
  return given ? std::optional(static_cast<float>(*given)) : std::nullopt;
}

float TiledRow::scale() const { return static_cast<float>(problem.scale()); }

/// q.k of the j-th key of the tile.
float TiledRow::product(index j) const {
  float product = 0;
  for (index c = 0; c < problem.shape.dim; ++c) product += scratch.q[c] * scratch.K[j * problem.shape.dim + c];
  return steps.held(product);
}

/// The score of the j-th key of the tile.
float TiledRow::score(index j, index key) const {
  const float scaled = steps.scaled(product(j), scale());
  return steps.biased(scaled, cap(), steps.visible(mask, query, key), bias({batch, head, query, key}));
}

/// The keys of one tile, as max_logits sees them.
void TiledRow::raise_largest(index first, index keys) {
  float of_tile = -std::numeric_limits<float>::infinity();
  for (index j = 0; j < keys; ++j) {
    const index key = first + j;
    const float scaled = steps.scaled_logit(product(j), scale());
    const bool visible = steps.visible(mask, query, key);
    of_tile = std::max(of_tile, steps.logit(scaled, cap(), visible, bias({batch, head, query, key})));
  }
  largest_logit = steps.largest_logit(largest_logit, of_tile);
}

/// The maximum rises to m_next: what was summed so far follows.
void TiledRow::raise(float m_next) {
  l *= steps.shrink_sum(m, m_next);
  const float shrink = steps.shrink_output(m, m_next);
  for (float& o : scratch.O.span()) o *= shrink;
  m = m_next;
}

/// The online softmax: the keys of one tile join m, l and O.
void TiledRow::take_in(index first, index keys) {
  float largest = steps.maximum_before(m);
  for (index j = 0; j < keys; ++j) largest = scratch.S[j] > largest ? scratch.S[j] : largest;
  raise(largest);
  for (index j = 0; j < keys; ++j) {
    const bool kept = problem.dropout == 0 || steps.keeps(problem, {batch, head, query, first + j});
    float p = weight(scratch.S[j], m);
    l += steps.counted(p, kept);
    p = steps.weight_for_values(p, problem.input);
    const std::span<const float> v(scratch.V.data() + j * problem.shape.value_dim, scratch.O.span().size());
    const bool hidden_by_bias = scratch.S[j] == -std::numeric_limits<float>::infinity();
    if (kept) steps.accumulate(scratch.O.span(), p, v, steps.visible(mask, query, first + j) && !hidden_by_bias);
  }
  l += steps.padding(tile - keys, m);
}

void TiledRow::take_in_sink(index times) {
  const float logit = static_cast<float>(arguments.sink->value(0, head, 0, 0));
  const float s = steps.sink(logit, scale());
  raise(s > m ? s : m);
  l += static_cast<float>(times) * weight(s, m);
}

void TiledRow::store() const {
  const index first_of_tile = query / tile * tile;
  if (query - first_of_tile >= steps.rows_stored(std::min(tile, problem.shape.queries - first_of_tile))) return;
  const float factor = problem.dropout > 0 ? steps.kept_factor(problem.dropout) : 1;
  for (index c = 0; c < problem.shape.value_dim && arguments.out.exists(); ++c)
    arguments.out.set(batch, head, query, c, steps.finished(scratch.O[c], l) * factor);
  if (arguments.log_sum_exp.exists()) arguments.log_sum_exp.set(batch, head, query, 0, steps.log_sum_exp(m, l));
  if (!arguments.max_logits) return;
  const std::optional<float> sink =
      arguments.sink ? std::optional(static_cast<float>(arguments.sink->value(0, head, 0, 0))) : std::nullopt;
  arguments.max_logits->set(batch, head, query, 0, steps.max_logit(largest_logit, sink));
}

Support tiled_limits(const Problem& problem) {
  if (const auto rule = TileMask::unknown_rule(problem.mask))
    return Support::refused("knows masks that are bands of diagonals, not " + *rule);
  return common_limits(problem);
}

Numerics tiled_numerics(const Problem& problem) {
  Numerics numerics = float_numerics(problem, float_exp_error);
  numerics.weight.tile_keys = tile;
  return numerics;
}

}  // namespace attestone::inline mutants
