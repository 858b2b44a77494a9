// SPDX-License-Identifier: Apache-2.0
// Gradients of a bias and of sinks, summed in f32 over a whole call and stored at its end.
#pragma once

#include "mutants/hosts/staged_blocks/call.hpp"

namespace attestone::inline mutants::staged_blocks {

class CallSums {
 public:
  explicit CallSums(const Call& c) : call_(c), packed_(c.dbias) {
    for (Int axis = 3, step = 1; axis >= 0; --axis) {
      packed_.stride[axis] = step;
      step *= packed_.extent[axis];
    }
    if (c.dbias) bias_.assign(at(packed_.extent[0] * packed_.stride[0]), 0.0f);
    if (c.dsink) sink_.assign(at(c.a.heads), 0.0f);
  }
  void add_bias(const Sequence& s, Int h, Int i, Int j, float ds) {
    if (call_.dbias) bias_[at(pair_offset(packed_, s, h, i, j))] += ds;
  }
  void add_sink(const Sequence& s, Int h, Int i, float delta) {
    const float sink = call_.sink_of(h);
    if (!call_.dsink || sink == -kInfinity || delta == 0) return;
    sink_[at(h)] -= std::exp(sink - call_.lse_of(s, h, i)) * delta;
  }
  void bias_starts_over() { std::fill(bias_.begin(), bias_.end(), 0.0f); }
  void store() const {
    const Tensor& t = call_.dbias;
    std::size_t next = 0;
    for (Int w = 0; t && w < t.extent[0]; ++w)
      for (Int x = 0; x < t.extent[1]; ++x)
        for (Int y = 0; y < t.extent[2]; ++y)
          for (Int z = 0; z < t.extent[3]; ++z) t.store(t.offset(w, x, y, z), bias_[next++]);
    for (Int h = 0; call_.dsink && h < call_.a.heads; ++h) call_.dsink.store(h * call_.dsink.stride[0], sink_[at(h)]);
  }

 private:
  const Call& call_;
  Tensor packed_;  // dBias as the sums lie
  Floats bias_, sink_;
};

}  // namespace attestone::inline mutants::staged_blocks
