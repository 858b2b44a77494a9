// SPDX-License-Identifier: Apache-2.0
// Where dim and value_dim differ, the backward pass takes the log_sum_exp of the keys alone, and leaves the sink's
// gradient 0. Thread: NVIDIA/cudnn-frontend #421: same_hdim_kv also guarded the folding of the sink and the sum_dSink
// kernel. Shows with a sink and value_dim != dim.
#include "../hosts/adapter.hpp"
#include "../hosts/tiled_forward.hpp"
#include "../hosts/two_pass_backward.hpp"

class Fault : public TwoPassBackward {
 protected:
  static bool differ(const Call& c) { return c.has_sink() && c.a.dim != c.a.value_dim; }
  float row_lse(const Call& c, const Sequence& s, index_t h, index_t i) const override {
    const float lse = TwoPassBackward::row_lse(c, s, h, i);
    return differ(c) ? lse + std::log1p(-std::exp(c.sink(h) - lse)) : lse;
  }
  float sink_gradient(const Call& c, index_t h, float lse, float row_delta) const override {
    return differ(c) ? 0.0f : TwoPassBackward::sink_gradient(c, h, lse, row_delta);
  }
};

EXPORT_KERNEL(TiledForward, Fault)
