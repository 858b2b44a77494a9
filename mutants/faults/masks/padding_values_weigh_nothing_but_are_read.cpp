// SPDX-License-Identifier: Apache-2.0
// Mutant of the pipelined host: shows in padded batches (lengths) where the rows behind a sequence hold NaN or
// infinity.
#include "mutants/hosts/third_batch/fused_backward.hpp"
#include "mutants/hosts/third_batch/kernel.hpp"
#include "mutants/hosts/third_batch/pipelined.hpp"
#include "mutants/hosts/third_batch/right.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::third_batch {
namespace {

struct Fault : PipelinedPolicy {
  static Index value_keys(const Problem&, const Sequence& s, Index j0) { return std::min(kKeys, s.key_rows - j0); }
};

const Registration<Mutant> registered{{
    .name = "padding_values_weigh_nothing_but_are_read",
    .summary = "V is loaded by whole tiles: rows behind the sequence's keys have weight 0, and 0 * NaN is NaN",
    .source = "flashinfer-ai/flashinfer PR #942, vllm-project/vllm PR #53856",
    .property = "value_bound",
    .reason = "wrong-non-finite",
    .problem = "shape=2x2x16x40x16 lengths=40+20 fill=nonfinite",
    .kernel =
        [] {
          return kernel<Pipelined<Fault>, FusedBackward<FusedBackwardPolicy>>(
              "padding_values_weigh_nothing_but_are_read");
        },
    .twin = right_pipelined_fused,
}};

}  // namespace
}  // namespace attestone::inline mutants::third_batch
