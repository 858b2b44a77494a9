// SPDX-License-Identifier: Apache-2.0
// The hosts of the first batch without a fault.
#include "mutants/hosts/first_batch/right.hpp"

#include "mutants/hosts/first_batch/fused_backward.hpp"
#include "mutants/hosts/first_batch/kernel.hpp"
#include "mutants/hosts/first_batch/split_forward.hpp"
#include "mutants/hosts/first_batch/tiled_forward.hpp"
#include "mutants/hosts/first_batch/unfused_forward.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::first_batch {

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
}  // namespace attestone::inline mutants::first_batch
