// SPDX-License-Identifier: Apache-2.0
// The gradients of the dense kernel: the score matrix of a head anew, its gradient, three more matrix products.
#include "backends/cpu/dense/dense.hpp"
#include "backends/cpu/parts/gradient_block.hpp"
#include "backends/cpu/parts/sink_gradient.hpp"
#include "backends/cpu/parts/stored_rows.hpp"

namespace attestone::inline backends {

index Dense::backward_bytes(const Problem& problem) const {
  const BlockExtents head(problem, problem.shape.queries, problem.shape.keys);
  return std::max(GradientBlock::bytes(head) + BiasGradient::bytes(problem), sink_gradient_bytes(problem));
}

void Dense::backward(const Problem& problem, const BackwardArguments& arguments, Device& device) const {
  const auto& [batches, heads, kv_heads, queries, keys, dim, value_dim] = problem.shape;
  const index group = heads / kv_heads;
  {
    GradientBlock block(problem, arguments, device, {problem, queries, keys});
    BiasGradient dbias(device, problem);
    for (index batch = 0; batch < batches; ++batch) {
      const Sequence sequence = problem.sequence(batch), stored = stored_rows(problem, batch);
      for (index kv_head = 0; kv_head < kv_heads; ++kv_head) {
        block.start_dkey_dvalue(keys);
        block.take_keys(batch, kv_head, {0, sequence.keys - 1});
        for (index head = kv_head * group; head < (kv_head + 1) * group; ++head) {
          block.start_dquery(queries);
          block.take_queries({batch, head, {0, sequence.queries - 1}});
          block.differentiate(ScoreRow(problem, arguments, batch, head, ScoreRow::Base::two),
                              VisibleTiles(problem, arguments, batch, head), &dbias);
          block.add_to_dquery();
          block.add_to_dkey_dvalue();
          block.store_dquery({batch, head, {0, stored.queries - 1}});
        }
        block.store_dkey_dvalue(batch, kv_head, {0, stored.keys - 1});
      }
    }
    dbias.store(arguments.dbias);
  }
  store_sink_gradient(problem, arguments, device);
}

}  // namespace attestone::inline backends
