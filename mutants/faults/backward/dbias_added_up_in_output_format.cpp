// SPDX-License-Identifier: Apache-2.0
// Mutant of the fused backward host: shows in dbias for bf16 and f16 where the bias repeats (pair, head, batch, key)
// and many terms meet.
#include "mutants/hosts/second_batch/fused_backward.hpp"
#include "mutants/hosts/second_batch/kernel.hpp"
#include "mutants/hosts/second_batch/right.hpp"
#include "mutants/hosts/second_batch/tiled_forward.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::second_batch {
namespace {

class Fault : public FusedBackward {
 protected:
  void add_dbias(const Call& c, float& sum, float x, bool) override { sum = rounded(sum + x, c.dbias.format); }
};

const Registration<Mutant> registered{{
    .name = "dbias_added_up_in_output_format",
    .summary = "the gradient of the bias is added up in the 16-bit tensor itself",
    .source = "HKUSTDial/flash-sparse-attention #193",
    .property = "gradient_bound",
    .reason = "wrong-gradient",
    .problem = "shape=2x8x64x512x8:4 score=bias:key dtype=bf16 pass=forward+backward",
    .kernel = [] { return kernel<TiledForward, Fault>("dbias_added_up_in_output_format", in_f32); },
    .twin = right_tiled_fused_in_f32,
}};

}  // namespace
}  // namespace attestone::inline mutants::second_batch
