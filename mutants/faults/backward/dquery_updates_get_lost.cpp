// SPDX-License-Identifier: Apache-2.0
// Mutant of the fused backward host: shows in dQ with deterministic=0, more than one thread and more than 32 keys, in
// some runs more than in others.
#include "mutants/hosts/third_batch/fused_backward.hpp"
#include "mutants/hosts/third_batch/kernel.hpp"
#include "mutants/hosts/third_batch/pipelined.hpp"
#include "mutants/hosts/third_batch/right.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::third_batch {
namespace {

struct Fault : FusedBackwardPolicy {
  static bool locked(const Problem& p) { return p.a.deterministic != 0; }
};

const Registration<Mutant> registered{{
    .name = "dquery_updates_get_lost",
    .summary = "without determinism workers read, add and write their part of dQ without a lock",
    .source = "Dao-AILab/flash-attention #359",
    .property = "gradient_bound",
    .reason = "wrong-gradient",
    .problem = "shape=1x2x64x512x32 pass=forward+backward deterministic=0",
    .kernel = [] { return kernel<Pipelined<PipelinedPolicy>, FusedBackward<Fault>>("dquery_updates_get_lost"); },
    .twin = right_pipelined_fused,
}};

}  // namespace
}  // namespace attestone::inline mutants::third_batch
