// SPDX-License-Identifier: Apache-2.0
// Mutant of the tiled host: shows with batch * heads > 65536.
#include "mutants/hosts/first_batch/fused_backward.hpp"
#include "mutants/hosts/first_batch/kernel.hpp"
#include "mutants/hosts/first_batch/right.hpp"
#include "mutants/hosts/first_batch/tiled_forward.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::first_batch {
namespace {

class Fault : public TiledForward {
 protected:
  Unit wrapped(const Unit& u) const {
    const int64_t index = u.b * call->a.heads + u.h;
    return call->ragged() ? u : TiledForward::unit_of(index & 0xFFFF);
  }
  void load_key(const Unit& u, int64_t j, float* to) const override { TiledForward::load_key(wrapped(u), j, to); }
  void load_value(const Unit& u, int64_t j, float* to) const override { TiledForward::load_value(wrapped(u), j, to); }
};

const Registration<Mutant> registered{{
    .name = "block_index_in_sixteen_bits",
    .summary = "the block's number over batch and heads goes through a grid axis of 16 bits where K and V are found: "
               "blocks from 65536 on read those of the first sequences",
    .source = "flashinfer-ai/flashinfer #3125",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=65540x1x1x2x1",
    .kernel = [] { return kernel<Fault, FusedBackward>("block_index_in_sixteen_bits"); },
    .twin = right_tiled,
}};

}  // namespace
}  // namespace attestone::inline mutants::first_batch
