// SPDX-License-Identifier: Apache-2.0
// The bias is added before the softcap: c tanh((s + bias) / c), in both passes.
// Thread: microsoft/onnxruntime #28370 (and onnx/onnx #7865): softcap over (score + bias) in the fused CUDA kernels.
// Shows with softcap beside a bias or ALiBi.
#include "../hosts/adapter.hpp"
#include "../hosts/fused_backward.hpp"
#include "../hosts/tiled_forward.hpp"

template <class Host>
class Fault : public Host {
 protected:
  Logit logit(const Call& c, const Sequence& s, index_t h, index_t i, index_t j, float qk) const override {
    const float total = qk * c.scale() + this->bias(c, s, h, i, j), cap = this->softcap(c);
    if (!(cap > 0)) return {total, 1.0f};
    const float t = std::tanh(total / cap);
    return {cap * t, 1.0f - t * t};
  }
};

EXPORT_KERNEL(Fault<TiledForward>, Fault<FusedBackward>)
