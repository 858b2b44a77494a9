// SPDX-License-Identifier: Apache-2.0
// Mutant of the fused backward host: shows in dQ where keys are no multiple of 32 and a row's log_sum_exp is below
// about -88.
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
  bool tail_keys_are_masked() const override { return false; }
};

const Registration<Mutant> registered{{
    .name = "zero_filled_tail_keys_not_masked",
    .summary = "keys behind the last one are zeros in the tile and not masked in the backward pass: e^(0 - L) may be "
               "infinite, and infinity * 0 is NaN",
    .source = "NVIDIA/cudnn-frontend #676, hao-ai-lab/FastVideo #925",
    .property = "gradient_bound",
    .reason = "wrong-non-finite",
    .problem = "shape=2x2x16x3x16 scale=40 pass=forward+backward",
    .kernel = [] { return kernel<TiledForward, Fault>("zero_filled_tail_keys_not_masked"); },
    .twin = right_tiled_fused,
}};

}  // namespace
}  // namespace attestone::inline mutants::second_batch
