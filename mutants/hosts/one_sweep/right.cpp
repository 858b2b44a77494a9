// SPDX-License-Identifier: Apache-2.0
// The hosts of this room without a fault.
#include "mutants/hosts/one_sweep/right.hpp"

#include "mutants/hosts/one_sweep/fused_backward.hpp"
#include "mutants/hosts/one_sweep/kernel.hpp"
#include "mutants/hosts/one_sweep/split_forward.hpp"
#include "mutants/hosts/one_sweep/tiled_forward.hpp"
#include "mutants/hosts/one_sweep/unfused_forward.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::one_sweep {

SharedKernel right_tiled() { return kernel<TiledForward, FusedBackward>("right_tiled"); }
SharedKernel right_split() { return kernel<SplitForward, FusedBackward>("right_split"); }
SharedKernel right_unfused() { return kernel<UnfusedForward, FusedBackward>("right_unfused"); }
SharedKernel right_tiled_in_f32() { return kernel<TiledForward, FusedBackward>("right_tiled_in_f32", in_f32); }
SharedKernel right_split_in_f32() { return kernel<SplitForward, FusedBackward>("right_split_in_f32", in_f32); }

namespace {

const Registration<Twin> tiled{{.name = "right_tiled",
                                .summary = "tiles of keys from the last to the first",
                                .batch = "first",
                                .kernel = right_tiled}};
const Registration<Twin> split{{.name = "right_split",
                                .summary = "packed heads, keys in parts that are merged",
                                .batch = "first",
                                .kernel = right_split}};
const Registration<Twin> unfused{
    {.name = "right_unfused", .summary = "scores of a row written out", .batch = "first", .kernel = right_unfused}};

}  // namespace
}  // namespace attestone::inline mutants::one_sweep
