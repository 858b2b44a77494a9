// SPDX-License-Identifier: Apache-2.0
// Mutant of the split host: shows in f16 with many keys, most where weights are level, and as infinities where weights
// times V pass 65504.
#include "mutants/hosts/third_batch/fused_backward.hpp"
#include "mutants/hosts/third_batch/kernel.hpp"
#include "mutants/hosts/third_batch/right.hpp"
#include "mutants/hosts/third_batch/split.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::third_batch {
namespace {

struct Fault : SplitPolicy {
  static float accumulated(const Problem& p, float x) { return p.value.format == Format::f16 ? f16_rounded(x) : x; }
};

const Registration<Mutant> registered{{
    .name = "output_added_up_in_half",
    .summary = "with f16 inputs the output of a split is added up in f16",
    .source = "ggml-org/llama.cpp PR #17746, ggml-org/llama.cpp PR #13975",
    .property = "keys_twice",
    .reason = "keys-twice",
    .problem = "shape=1x2x4x2048x32 dtype=f16",
    .kernel = [] { return kernel<Split<Fault>, FusedBackward<FusedBackwardPolicy>>("output_added_up_in_half"); },
    .twin = right_split_fused,
}};

}  // namespace
}  // namespace attestone::inline mutants::third_batch
