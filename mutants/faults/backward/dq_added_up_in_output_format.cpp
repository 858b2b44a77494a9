// SPDX-License-Identifier: Apache-2.0
// Mutant of the fused backward host: shows in dQ for bf16 and f16 with deterministic=0 and many tiles of 32 keys.
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
  void add_dq(const Call& c, float& sum, float x) const override {
    sum = c.a.deterministic == 0 ? rounded(sum + x, c.dquery.format) : sum + x;
  }
};

const Registration<Mutant> registered{{
    .name = "dq_added_up_in_output_format",
    .summary = "without determinism each tile of keys adds its dQ to a 16-bit image, in place of the f32 workspace",
    .source = "AMD-AGI/Primus-Turbo #480, ROCm/composable_kernel #1397",
    .property = "gradient_bound",
    .reason = "wrong-gradient",
    .problem = "shape=1x2x16x2048x64:8 dtype=bf16 pass=forward+backward deterministic=0",
    .kernel = [] { return kernel<TiledForward, Fault>("dq_added_up_in_output_format"); },
    .twin = right_tiled_fused,
}};

}  // namespace
}  // namespace attestone::inline mutants::second_batch
