// SPDX-License-Identifier: Apache-2.0
// The hosts of this room without a fault.
#include "mutants/hosts/pipelines/right.hpp"

#include "mutants/hosts/pipelines/fused_backward.hpp"
#include "mutants/hosts/pipelines/kernel.hpp"
#include "mutants/hosts/pipelines/persistent.hpp"
#include "mutants/hosts/pipelines/pipelined.hpp"
#include "mutants/hosts/pipelines/split.hpp"
#include "mutants/hosts/pipelines/two_pass_backward.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::pipelines {

SharedKernel right_pipelined_fused() {
  return kernel<Pipelined<PipelinedPolicy>, FusedBackward<FusedBackwardPolicy>>("right_pipelined_fused");
}
SharedKernel right_persistent_two_pass() {
  return kernel<Persistent<PersistentPolicy>, TwoPassBackward<TwoPassPolicy>>("right_persistent_two_pass");
}
SharedKernel right_split_fused() {
  return kernel<Split<SplitPolicy>, FusedBackward<FusedBackwardPolicy>>("right_split_fused");
}

namespace {

const Registration<Twin> pipelined{{.name = "right_pipelined_fused",
                                    .summary = "two stages of K and V, weights in the input format",
                                    .batch = "third",
                                    .kernel = right_pipelined_fused}};
const Registration<Twin> persistent{{.name = "right_persistent_two_pass",
                                     .summary = "scale on q, the sink as first entry",
                                     .batch = "third",
                                     .kernel = right_persistent_two_pass}};
const Registration<Twin> split{{.name = "right_split_fused",
                                .summary = "packed heads, merged splits, the sink in the merge",
                                .batch = "third",
                                .kernel = right_split_fused}};

}  // namespace
}  // namespace attestone::inline mutants::pipelines
