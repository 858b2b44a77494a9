// SPDX-License-Identifier: Apache-2.0
// The hosts of this room without a fault.
#include "mutants/hosts/workspace_sums/right.hpp"

#include "mutants/hosts/workspace_sums/fused_backward.hpp"
#include "mutants/hosts/workspace_sums/kernel.hpp"
#include "mutants/hosts/workspace_sums/tiled_forward.hpp"
#include "mutants/hosts/workspace_sums/two_pass_backward.hpp"
#include "mutants/hosts/workspace_sums/unfused.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::workspace_sums {

SharedKernel right_tiled_fused() { return kernel<TiledForward, FusedBackward>("right_tiled_fused"); }
SharedKernel right_tiled_two_pass() { return kernel<TiledForward, TwoPassBackward>("right_tiled_two_pass"); }
SharedKernel right_unfused_head() { return kernel<UnfusedForward, UnfusedBackward>("right_unfused_head"); }
SharedKernel right_tiled_fused_in_f32() {
  return kernel<TiledForward, FusedBackward>("right_tiled_fused_in_f32", in_f32);
}

namespace {

const Registration<Twin> fused{{.name = "right_tiled_fused",
                                .summary = "online softmax, and gradients in one pass",
                                .batch = "second",
                                .kernel = right_tiled_fused}};
const Registration<Twin> two_pass{{.name = "right_tiled_two_pass",
                                   .summary = "online softmax, and dQ before dK and dV",
                                   .batch = "second",
                                   .kernel = right_tiled_two_pass}};
const Registration<Twin> unfused{{.name = "right_unfused_head",
                                  .summary = "scores of a head written out, in both passes",
                                  .batch = "second",
                                  .kernel = right_unfused_head}};

}  // namespace
}  // namespace attestone::inline mutants::workspace_sums
