// SPDX-License-Identifier: Apache-2.0
// Mutant of the two-pass backward host: shows with grouped heads where heads / kv_heads differs from kv_heads; 4/2 is
// right.
#include "mutants/hosts/second_batch/kernel.hpp"
#include "mutants/hosts/second_batch/right.hpp"
#include "mutants/hosts/second_batch/tiled_forward.hpp"
#include "mutants/hosts/second_batch/two_pass_backward.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::second_batch {
namespace {

class Fault : public TwoPassBackward {
 protected:
  index_t kv_head_of(const Call& c, index_t h) const override { return c.group == 1 ? h : h / c.a.kv_heads; }
};

const Registration<Mutant> registered{{
    .name = "dkv_pass_divides_heads_by_kv_heads",
    .summary = "the kernel of dK and dV splits the query head by the number of kv heads, not by that of query heads "
               "per kv head",
    .source = "XunhaoLai/native-sparse-attention-triton #27",
    .property = "gradient_bound",
    .reason = "wrong-gradient",
    .problem = "shape=1x6/2x16x24x16 pass=forward+backward",
    .kernel = [] { return kernel<TiledForward, Fault>("dkv_pass_divides_heads_by_kv_heads"); },
    .twin = right_tiled_two_pass,
}};

}  // namespace
}  // namespace attestone::inline mutants::second_batch
