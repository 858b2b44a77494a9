// SPDX-License-Identifier: Apache-2.0
// The dense kernel: softmax(Q K^T) V, written down.
#include "backends/cpu/dense/dense.hpp"

#include <cmath>
#include <limits>

#include "backends/cpu/parts/dropped_pairs.hpp"
#include "backends/cpu/parts/head_sink.hpp"
#include "backends/cpu/parts/limits.hpp"
#include "backends/cpu/parts/online_softmax.hpp"
#include "backends/cpu/parts/score_block.hpp"
#include "backends/cpu/parts/stored_rows.hpp"
#include "reference/registry.hpp"

namespace attestone::inline backends {
namespace {

const Registration<KernelEntry> registered{{
    .name = "dense",
    .summary = "the whole score matrix of a head, a softmax over its rows, two matrix products by Eigen; and backward",
    .settings = {},
    .make = [](const Settings&) -> SharedKernel { return std::make_shared<Dense>(); },
}};

/// One row of scores -> weights that add up to 1, but for the sink's; or zeros where nothing is visible; returns
/// log_sum_exp.
float softmax(float* S, index keys, float sink) {
  float m = sink;
  for (index j = 0; j < keys; ++j) m = S[j] > m ? S[j] : m;
  const float shift = m == -std::numeric_limits<float>::infinity() ? 0.0f : m;
  float l = std::exp(sink - shift);
  for (index j = 0; j < keys; ++j) {
    S[j] = std::exp(S[j] - shift);
    l += S[j];
  }
  if (l != 0)
    for (index j = 0; j < keys; ++j) S[j] /= l;
  return static_cast<float>(double{m} + std::log(double{l}));
}

}  // namespace

Support Dense::supports(const Problem& problem) const { return common_limits(problem); }

Numerics Dense::numerics(const Problem& problem) const {
  // The backward pass takes 2^x instead, which is as good.
  static_assert(exp2_relative_error <= float_exp_error);
  Numerics numerics = float_numerics(problem, float_exp_error);
  numerics.weight.normalised = true;
  // In which order Eigen adds up follows from the lengths of the sequence.
  numerics.invariant = Invariance::batch | Invariance::heads | Invariance::padding;
  return numerics;
}

index Dense::forward_bytes(const Problem& problem) const {
  const BlockExtents head(problem, problem.shape.queries, problem.shape.keys);
  return ScoreBlock::bytes(head) + head.queries * head.value_dim * static_cast<index>(sizeof(float));
}

void Dense::forward(const Problem& problem, const Arguments& arguments, Device& device) const {
  const auto& [batches, heads, kv_heads, queries, keys, dim, value_dim] = problem.shape;
  ScoreBlock block(device, {problem, queries, keys});
  Allocation<float> o(device, queries * value_dim, "output");
  const DroppedPairs dropped(problem, arguments.placement);
  FloatMatrix O(o.data(), queries, value_dim);

  for (index batch = 0; batch < batches; ++batch) {
    const Sequence sequence = problem.sequence(batch);
    const Interval real_keys{0, sequence.keys - 1}, stored{0, stored_rows(problem, batch).queries - 1};
    for (index head = 0; head < heads; ++head) {
      const index kv_head = head / (heads / kv_heads);
      const ScoreRow scores(problem, arguments, batch, head, ScoreRow::Base::e);
      const VisibleTiles visible(problem, arguments, batch, head);
      const float sink = HeadSink(arguments, head).logit();
      block.take_queries(arguments, {batch, head, {0, sequence.queries - 1}});
      block.take_keys(arguments, batch, kv_head, real_keys);
      block.multiply();
      FloatMatrix P = block.S();
      for (index i = 0; i < P.rows(); ++i) {
        block.finish_row(i, scores, visible);
        float* row = P.data() + i * P.cols();
        if (arguments.max_logits) arguments.max_logits->set(batch, head, i, 0, maximum(row, P.cols()));
        const float log_sum_exp = softmax(row, P.cols(), sink);
        if (arguments.log_sum_exp.exists()) arguments.log_sum_exp.set(batch, head, i, 0, log_sum_exp);
        dropped.clear({batch, head, i, 0}, row, P.cols());
      }
      device.compute({.exponentials = P.size()});
      round_weights({P.data(), static_cast<std::size_t>(P.size())}, problem.input);
      O.setZero();
      add_visible_product(device, P, block.seen(), block.V(), O.topRows(P.rows()),
                          [&] { read_rows(device, arguments.value, batch, kv_head, real_keys, block.V()); });
      store_rows(device, arguments.out, batch, head, stored, O, dropped.factor());
      for (index i = sequence.queries; i <= stored.last; ++i) {
        if (arguments.log_sum_exp.exists()) arguments.log_sum_exp.set(batch, head, i, 0, sink);
        if (arguments.max_logits) arguments.max_logits->set(batch, head, i, 0, OnlineSoftmax().m);
      }
      device.compute({.bytes = stored.count() * row_bytes(arguments.log_sum_exp)});
    }
  }
}

}  // namespace attestone::inline backends
