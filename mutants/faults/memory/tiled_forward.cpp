// SPDX-License-Identifier: Apache-2.0
// A head whose offset is found by dividing strides.
#include "mutants/hosts/one_sweep/tiled_forward.hpp"

#include "mutants/hosts/one_sweep/fused_backward.hpp"
#include "mutants/hosts/one_sweep/kernel.hpp"
#include "mutants/hosts/one_sweep/right.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::one_sweep {
namespace {

/// Shows with layouts bshd, strided and others whose head stride is no multiple of the row stride.
class KeyHeadOffsetDividesStrides : public TiledForward {
 protected:
  float divided(const Tensor& t, const Unit& u, int64_t j, int64_t d) const {
    if (t.ragged() || t.stride[2] == 0) return t.get(u.b, u.kv_head, j, d);
    const int64_t row = u.kv_head * t.stride[1] / t.stride[2] + j;
    return t.load(u.b * t.stride[0] + row * t.stride[2] + d * t.stride[3]);
  }
  void load_key(const Unit& u, int64_t j, float* to) const override {
    for (int64_t d = 0; d < call->a.dim; ++d) to[d] = divided(call->key, u, j, d);
  }
  void load_value(const Unit& u, int64_t j, float* to) const override {
    for (int64_t d = 0; d < call->a.value_dim; ++d) to[d] = divided(call->value, u, j, d);
  }
};

const Registrations<Mutant> registered{
    {.name = "key_head_offset_divides_strides",
     .summary = "the offset of a head is turned into rows by dividing strides, which is exact for packed [b, h, s, d] "
                "alone; K and V of every head are those of head 0 where heads lie inside a row",
     .source = "BobMcDear/attorch #14",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x3x16x16x16 layout=bshd",
     .batch = "first",
     .kernel = [] { return kernel<KeyHeadOffsetDividesStrides, FusedBackward>("key_head_offset_divides_strides"); },
     .twin = right_tiled},
};

}  // namespace
}  // namespace attestone::inline mutants::one_sweep
