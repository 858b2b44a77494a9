// SPDX-License-Identifier: Apache-2.0
// The loops of the fused backward pass: tiles of keys stay, tiles of queries pass by.
#include "mutants/hosts/fused.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "backends/cpu/parts/codec.hpp"
#include "backends/cpu/parts/formula_bias.hpp"

namespace attestone::inline mutants {
namespace {

constexpr index tile = FusedSteps::tile;

index bias_elements(const Problem& problem) {
  return problem.score.bias_tensor() ? element_count(extents_of(problem, TensorName::bias)) : 0;
}

/// The scratch memory of the whole pass.
struct BackwardScratch {
  BackwardScratch(Device& device, const Problem& problem)
      : q(device, problem.shape.dim, "row of queries"),
        dO(device, problem.shape.value_dim, "row of dout"),
        O(device, problem.shape.value_dim, "row of out"),
        K(device, tile * problem.shape.dim, "keys"),
        V(device, tile * problem.shape.value_dim, "values"),
        dK(device, tile * problem.shape.dim, "dkey of a tile"),
        dV(device, tile * problem.shape.value_dim, "dvalue of a tile"),
        dQ_head(device, problem.shape.queries * problem.shape.dim, "dquery of a head"),
        dK_group(device, problem.shape.keys * problem.shape.dim, "dkey of a group"),
        dV_group(device, problem.shape.keys * problem.shape.value_dim, "dvalue of a group"),
        dbias(device, bias_elements(problem), "dbias"),
        dsink(device, problem.score.has_sink() ? problem.shape.heads : 0, "dsink") {}

  Allocation<float> q, dO, O;      // [dim], [value_dim], [value_dim]
  Allocation<float> K, V, dK, dV;  // [16][dim], [16][value_dim], and so again
  Allocation<float> dQ_head;       // [queries][dim]
  Allocation<float> dK_group;      // [keys][dim]
  Allocation<float> dV_group;      // [keys][value_dim]
  Allocation<float> dbias, dsink;  // like the bias tensor, [heads]
};

void clear(Allocation<float>& sums) { std::ranges::fill(sums.span(), 0.0f); }

/// Everything that the loops share.
class Backward {
 public:
  Backward(const Problem& problem, const BackwardArguments& arguments, Device& device, const FusedSteps& steps)
      : problem_(problem), arguments_(arguments), steps_(steps), scratch_(device, problem) {}

  void run();

 private:
  void group(index batch, index kv_head);
  void head(index batch, index head);
  void key_tile(index batch, index head, index first, index keys, const TileMask& mask);
  void row(const Pair& at, index keys, const TileMask& mask);
  void pair(const Pair& at, index j, float delta, float L, const TileMask& mask);
  double bias(const Pair& at) const;
  void add_to_bias(const Pair& at, float term);
  void add_to_sink(const Pair& at, float delta, float L);
  void store_group(index batch, index kv_head);
  void store_shared();

  const Problem& problem_;
  const BackwardArguments& arguments_;
  const FusedSteps& steps_;
  BackwardScratch scratch_;
};

void Backward::run() {
  clear(scratch_.dbias);
  clear(scratch_.dsink);
  for (index batch = 0; batch < problem_.shape.batch; ++batch)
    for (index kv_head = 0; kv_head < problem_.shape.kv_heads; ++kv_head) group(batch, kv_head);
  store_shared();
}

void Backward::group(index batch, index kv_head) {
  const index heads = problem_.shape.heads / problem_.shape.kv_heads;
  clear(scratch_.dK_group);
  clear(scratch_.dV_group);
  for (index h = kv_head * heads; h < (kv_head + 1) * heads; ++h) head(batch, h);
  store_group(batch, kv_head);
}

void Backward::head(index batch, index head) {
  const Sequence sequence = problem_.sequence(batch);
  const TileMask mask = steps_.mask(problem_.mask, sequence);
  if (steps_.starts_at_zero()) clear(scratch_.dQ_head);
  for (index first = 0; first < sequence.keys; first += tile)
    key_tile(batch, head, first, std::min(tile, sequence.keys - first), mask);
  for (index i = 0; i < arguments_.dquery.rows(batch); ++i)
    for (index c = 0; c < problem_.shape.dim && arguments_.dquery.exists(); ++c)
      arguments_.dquery.set(batch, head, i, c, scratch_.dQ_head[i * problem_.shape.dim + c]);
}

void Backward::key_tile(index batch, index head, index first, index keys, const TileMask& mask) {
  const auto& [batches, heads, kv_heads, queries, all_keys, dim, value_dim] = problem_.shape;
  const index kv_head = head / (heads / kv_heads);
  for (index j = 0; j < keys; ++j) {
    FloatRows(arguments_.key).read(batch, kv_head, first + j, scratch_.K.data() + j * dim);
    FloatRows(arguments_.value).read(batch, kv_head, first + j, scratch_.V.data() + j * value_dim);
  }
  clear(scratch_.dK);
  clear(scratch_.dV);
  const index rows = std::min(steps_.queries_read(problem_.sequence(batch).queries), arguments_.dquery.rows(batch));
  for (index i = 0; i < rows; ++i) row({batch, head, i, first}, keys, mask);
  const auto add = [&](Allocation<float>& group, Allocation<float>& of_tile, index width) {
    for (index e = 0; e < keys * width; ++e)
      group[first * width + e] = steps_.group_sum(group[first * width + e], of_tile[e]);
  };
  add(scratch_.dK_group, scratch_.dK, dim);
  add(scratch_.dV_group, scratch_.dV, value_dim);
}

void Backward::row(const Pair& at, index keys, const TileMask& mask) {
  FloatRows(arguments_.query).read(at.batch, at.head, at.query, scratch_.q.data());
  FloatRows(arguments_.dout).read(at.batch, at.head, at.query, scratch_.dO.data());
  FloatRows(arguments_.out).read(at.batch, at.head, at.query, scratch_.O.data());
  const float L = static_cast<float>(arguments_.log_sum_exp.value(at.batch, at.head, at.query, 0));
  const float delta = steps_.delta(scratch_.dO.span(), scratch_.O.span(), arguments_.out.dtype());
  for (index j = 0; j < keys; ++j) pair({at.batch, at.head, at.query, at.key + j}, j, delta, L, mask);
  if (at.key == 0 && arguments_.sink) add_to_sink(at, delta, L);
}

double Backward::bias(const Pair& at) const {
  if (arguments_.bias) return arguments_.bias->value(at.batch, at.head, at.query, at.key);
  const ScoreTerm* term = problem_.score.bias_formula();
  if (!term) return 0;
  const index ahead = at.key - problem_.sequence(at.batch).position(at.query);
  if (term->rule == "alibi")
    return -double{own_alibi_slope(at.head, problem_.shape.heads)} * static_cast<double>(std::abs(ahead));
  require(term->rule == "relative_position", "tiled_limits refuses other biases");
  return static_cast<float>(term->argument) * static_cast<double>(ahead);
}

void Backward::pair(const Pair& at, index j, float delta, float L, const TileMask& mask) {
  const index dim = problem_.shape.dim, value_dim = problem_.shape.value_dim;
  const float *k = scratch_.K.data() + j * dim, *v = scratch_.V.data() + j * value_dim;
  const bool visible = mask.visible(at.query, at.key);
  if (!visible && !steps_.weighs_hidden_pairs()) return;
  float s = 0;
  for (index c = 0; c < dim; ++c) s += scratch_.q[c] * k[c];
  s *= static_cast<float>(problem_.scale());
  ScoreGradient gradient{0, 0, 1, 0, 0, 0};
  if (const auto cap = problem_.score.softcap()) {
    const float t = std::tanh(s / static_cast<float>(*cap));
    s = static_cast<float>(*cap) * t;
    gradient.slope = steps_.slope(t);
  }
  constexpr float hidden = -std::numeric_limits<float>::infinity();
  const double b = bias(at);
  s = visible && b > hidden ? static_cast<float>(double{s} + b) : hidden;
  if (s == hidden && !steps_.weighs_hidden_pairs()) return;
  const bool kept = problem_.dropout == 0 || steps_.keeps(problem_, at);
  const float factor = !kept ? 0 : problem_.dropout == 0 ? 1 : steps_.kept_factor(problem_.dropout);
  for (index c = 0; c < steps_.gradient_channels(problem_.shape); ++c) gradient.dp += scratch_.dO[c] * v[c];
  gradient.dp = kept ? gradient.dp * factor : 0;
  gradient.p = steps_.weight(s, L);
  steps_.differentiate(gradient, delta);
  if (arguments_.dbias) add_to_bias(at, gradient.dbias);

  float cast[] = {gradient.p, gradient.dq_s, gradient.dk_s};
  round_weights({cast, 1}, problem_.input);
  round_gradients({cast + 1, 2}, problem_.input);
  const float scale = static_cast<float>(problem_.scale());
  for (index c = 0; c < value_dim; ++c) scratch_.dV[j * value_dim + c] += factor * cast[0] * scratch_.dO[c];
  for (index c = 0; c < dim; ++c) {
    float& dk = scratch_.dK[j * dim + c];
    dk = steps_.key_sum(dk, steps_.key_factor(scale) * cast[2] * scratch_.q[c]);
    scratch_.dQ_head[at.query * dim + c] += steps_.query_factor(scale) * cast[1] * k[c];
  }
}

void Backward::add_to_bias(const Pair& at, float term) {
  const Extents& extents = arguments_.dbias->extents();
  const auto place = [&](int axis, index i) { return extents[static_cast<std::size_t>(axis)] == 1 ? 0 : i; };
  const index row = (place(0, at.batch) * extents[1] + place(1, at.head)) * extents[2] + place(2, at.query);
  float& sum = scratch_.dbias[row * extents[3] + at.key];
  sum = steps_.bias_sum(sum, term);
}

/// dsink = - sum_i e^(sink - L) delta.
void Backward::add_to_sink(const Pair& at, float delta, float L) {
  const float logit = static_cast<float>(arguments_.sink->value(0, at.head, 0, 0));
  scratch_.dsink[at.head] = steps_.sink_sum(scratch_.dsink[at.head], -steps_.weight(logit, L) * delta);
}

void Backward::store_group(index batch, index kv_head) {
  const index dim = problem_.shape.dim, value_dim = problem_.shape.value_dim;
  for (index j = 0; j < arguments_.dkey.rows(batch); ++j) {
    for (index c = 0; c < dim && arguments_.dkey.exists(); ++c)
      arguments_.dkey.set(batch, kv_head, j, c, scratch_.dK_group[j * dim + c]);
    for (index c = 0; c < value_dim && arguments_.dvalue.exists(); ++c)
      arguments_.dvalue.set(batch, kv_head, j, c, scratch_.dV_group[j * value_dim + c]);
  }
}

void Backward::store_shared() {
  index next = 0;
  if (arguments_.dbias)
    for_each_element(*arguments_.dbias, [&](index b, index h, index i, index j) {
      arguments_.dbias->set(b, h, i, j, scratch_.dbias[next++]);
    });
  if (arguments_.dsink)
    for (index h = 0; h < problem_.shape.heads; ++h) arguments_.dsink->set(0, h, 0, 0, scratch_.dsink[h]);
}

}  // namespace

void fused_backward(const Problem& problem, const BackwardArguments& arguments, Device& device,
                    const FusedSteps& steps) {
  Backward(problem, arguments, device, steps).run();
}

index fused_backward_bytes(const Problem& problem) {
  const auto& [batch, heads, kv_heads, queries, keys, dim, value_dim] = problem.shape;
  const index floats = dim + 2 * value_dim + tile * (2 * dim + 2 * value_dim) + queries * dim +
                       keys * (dim + value_dim) + bias_elements(problem) + (problem.score.has_sink() ? heads : 0);
  return floats * static_cast<index>(sizeof(float));
}

}  // namespace attestone::inline mutants
