// SPDX-License-Identifier: Apache-2.0
// The specialization for value_dim other than dim normalizes weights by the keys alone, without the sink, and leaves
// the sink's own gradient 0. NVIDIA/cudnn-frontend pull request 421 (D_qk = 576, D_v = 512). Shows in all gradients
// with a sink and value_dim != dim.
#include "../hosts/fused_backward.hpp"
#include "../hosts/tiled_forward.hpp"

class Fault : public FusedBackward {
 protected:
  bool affected() const { return call->sinks.present() && call->a.dim != call->a.value_dim; }
  float normalizer(const Unit& u, int64_t i) const override {
    const float lse = FusedBackward::normalizer(u, i);
    return affected() ? lse + std::log1p(-std::exp(call->sink(u.h) - lse)) : lse;
  }
  float sink_gradient(const Unit& u, float normalizer, float delta) const override {
    return affected() ? 0 : FusedBackward::sink_gradient(u, normalizer, delta);
  }
};

KERNEL(TiledForward, Fault)
