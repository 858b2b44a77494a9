// SPDX-License-Identifier: Apache-2.0
// Mutant of the tiled and fused backward host: shows with softcap beside a bias or ALiBi.
#include "mutants/hosts/second_batch/fused_backward.hpp"
#include "mutants/hosts/second_batch/kernel.hpp"
#include "mutants/hosts/second_batch/right.hpp"
#include "mutants/hosts/second_batch/tiled_forward.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::second_batch {
namespace {

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

const Registration<Mutant> registered{{
    .name = "softcap_after_bias",
    .summary = "the bias is added before the softcap: c tanh((s + bias) / c), in both passes",
    .source = "microsoft/onnxruntime #28370, onnx/onnx #7865",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=2x4x33x40x16 score=softcap:2&bias:full",
    .kernel = [] { return kernel<Fault<TiledForward>, Fault<FusedBackward>>("softcap_after_bias"); },
    .twin = right_tiled_fused,
}};

}  // namespace
}  // namespace attestone::inline mutants::second_batch
