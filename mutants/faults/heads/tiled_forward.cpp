// SPDX-License-Identifier: Apache-2.0
// Blocks of a grid that find another kv head or another sequence.
#include "mutants/hosts/one_sweep/tiled_forward.hpp"

#include "mutants/hosts/one_sweep/fused_backward.hpp"
#include "mutants/hosts/one_sweep/kernel.hpp"
#include "mutants/hosts/one_sweep/right.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::one_sweep {
namespace {

/// Shows with batch * heads > 65536.
class BlockIndexInSixteenBits : public TiledForward {
 protected:
  Unit wrapped(const Unit& u) const {
    const int64_t index = u.b * call->a.heads + u.h;
    return call->ragged() ? u : TiledForward::unit_of(index & 0xFFFF);
  }
  void load_key(const Unit& u, int64_t j, float* to) const override { TiledForward::load_key(wrapped(u), j, to); }
  void load_value(const Unit& u, int64_t j, float* to) const override { TiledForward::load_value(wrapped(u), j, to); }
};

/// Shows when heads / kv_heads is no power of two and there is more than one kv head.
class KvHeadByPowerOfTwoShift : public TiledForward {
 protected:
  Unit unit_of(int64_t index) const override {
    Unit u = TiledForward::unit_of(index);
    int shift = 0;
    while ((int64_t{1} << shift) < call->a.heads / call->a.kv_heads) ++shift;
    u.kv_head = u.h >> shift;
    return u;
  }
};

const Registrations<Mutant> registered{
    {.name = "block_index_in_sixteen_bits",
     .summary = "the block's number over batch and heads goes through a grid axis of 16 bits where K and V are found: "
                "blocks from 65536 on read those of the first sequences",
     .source = "flashinfer-ai/flashinfer #3125",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=65540x1x1x2x1",
     .batch = "first",
     .kernel = [] { return kernel<BlockIndexInSixteenBits, FusedBackward>("block_index_in_sixteen_bits"); },
     .twin = right_tiled},
    {.name = "kv_head_by_power_of_two_shift",
     .summary = "the query heads of a group are padded to a power of two, and the kv head is the head shifted right by "
                "that power",
     .source = "apache/tvm PR #17466",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x6/2x16x32x16",
     .batch = "first",
     .kernel = [] { return kernel<KvHeadByPowerOfTwoShift, FusedBackward>("kv_head_by_power_of_two_shift"); },
     .twin = right_tiled},
};

}  // namespace
}  // namespace attestone::inline mutants::one_sweep
