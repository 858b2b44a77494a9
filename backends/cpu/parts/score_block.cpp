// SPDX-License-Identifier: Apache-2.0
// Loading operands and scoring their pairs.
#include "backends/cpu/parts/score_block.hpp"

namespace attestone::inline backends {

ScoreBlock::ScoreBlock(Device& device, const BlockExtents& e)
    : device_(device),
      extents_(e),
      q_(device, e.queries * e.dim, "queries"),
      k_(device, e.keys * e.dim, "keys"),
      v_(device, e.keys * e.value_dim, "values"),
      s_(device, e.queries * e.keys, "scores"),
      biases_(device, e.biased_keys, "row of biases"),
      seen_(device, e.queries * e.keys, "visible pairs") {}

index ScoreBlock::bytes(const BlockExtents& e) {
  const index floats = e.queries * e.dim + e.keys * e.dim + e.keys * e.value_dim + e.queries * e.keys + e.biased_keys;
  return floats * static_cast<index>(sizeof(float)) + e.queries * e.keys;
}

void ScoreBlock::take_queries(const KernelInputs& inputs, const QueryBlock& block) {
  queries_ = block.queries;
  read_rows(device_, inputs.query, block.batch, block.head, queries_, Q());
}

void ScoreBlock::take_keys(const KernelInputs& inputs, index batch, index kv_head, Interval keys) {
  keys_ = keys;
  read_rows(device_, inputs.key, batch, kv_head, keys, K());
  read_rows(device_, inputs.value, batch, kv_head, keys, V());
}

void ScoreBlock::multiply() {
  S().noalias() = Q() * K().transpose();
  device_.compute({.multiply_adds = S().size() * extents_.dim});
}

void ScoreBlock::finish_row(index i, const ScoreRow& scores, const VisibleTiles& visible, float* slopes) {
  const index query = queries_.first + i;
  float* S = s_.data() + i * keys_.count();
  std::uint8_t* seen = seen_.data() + i * keys_.count();
  const float* biases = scores.biases(query, keys_, biases_.data());
  visible.mark(query, keys_, biases, seen);
  scores.finish(S, query, keys_, biases, slopes);
  for (index j = 0; j < keys_.count(); ++j) S[j] = seen[j] ? S[j] : -std::numeric_limits<float>::infinity();
}

}  // namespace attestone::inline backends
