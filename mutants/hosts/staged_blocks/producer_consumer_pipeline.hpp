// SPDX-License-Identifier: Apache-2.0
// The ring of two stages through which a producer hands tiles of K and V to its consumer.
#pragma once

#include "mutants/hosts/staged_blocks/call.hpp"

namespace attestone::inline mutants::staged_blocks::producer_consumer {

/// A slot of the ring, and the lap in which it is visited.
struct PipelineState {
  int index = 0;
  unsigned phase = 0;
  void advance() {
    if (++index < 2) return;
    index = 0;
    phase ^= 1u;
  }
};

struct Stage {
  Floats k, v;
  unsigned full = 1;  ///< phase of the last fill
  Int tile = -1;
};

template <class P>
class Pipeline {
 public:
  Pipeline(const Call& call, const Sequence& sequence, Int kv_head) : c_(call), s_(sequence), kv_head_(kv_head) {
    for (Stage& stage : ring_) {
      stage.k.resize(at(P::kBlockN * c_.a.dim));
      stage.v.resize(at(P::kBlockN * c_.a.value_dim));
    }
  }
  /// The producer fills the next slot; rows behind the sequence are zero.
  void produce(Int tile) {
    Stage& stage = ring_[write_.index];
    load(stage.k, c_.key, tile, c_.a.dim);
    load(stage.v, c_.value, tile, c_.a.value_dim);
    stage.full = write_.phase;
    stage.tile = tile;
    write_.advance();
  }
  /// The slot that the consumer is to read; none if the producer has not filled it.
  const Stage* wait() const {
    const Stage& stage = ring_[read_.index];
    return stage.full == read_.phase && stage.tile >= 0 ? &stage : nullptr;
  }
  void release() { read_.advance(); }

 private:
  void load(Floats& to, const Tensor& t, Int tile, Int width) const {
    for (Int r = 0; r < P::kBlockN; ++r) {
      const Int j = tile * P::kBlockN + r;
      float* row = &to[at(r * width)];
      std::fill(row, row + width, 0.0f);
      if (j >= s_.keys) continue;
      const Int base = t.offset(s_.place, kv_head_, s_.first_key + j);
      for (Int d = 0; d < width; ++d) row[d] = t.load(base + d * t.stride[3]);
    }
  }

  const Call& c_;
  const Sequence& s_;
  Int kv_head_;
  Stage ring_[2];
  PipelineState write_, read_;
};

/// Rows m0 to m1 of the queries of a head.
inline Floats load_queries(const Call& c, const Sequence& s, Int h, Int m0, Int m1) {
  Floats q(at((m1 - m0) * c.a.dim));
  for (Int i = m0; i < m1; ++i)
    for (Int d = 0; d < c.a.dim; ++d)
      q[at((i - m0) * c.a.dim + d)] = c.query.load(c.query.offset(s.place, h, s.first_query + i, d));
  return q;
}

}  // namespace attestone::inline mutants::staged_blocks::producer_consumer
