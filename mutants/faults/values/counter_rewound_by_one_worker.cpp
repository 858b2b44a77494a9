// SPDX-License-Identifier: Apache-2.0
// Mutant of the persistent host: shows from the second call of a process on, with more than one thread: the first items
// are not answered.
#include "mutants/hosts/third_batch/kernel.hpp"
#include "mutants/hosts/third_batch/persistent.hpp"
#include "mutants/hosts/third_batch/right.hpp"
#include "mutants/hosts/third_batch/two_pass_backward.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::third_batch {
namespace {

struct Fault : PersistentPolicy {
  static Index rewound(Index items, Index workers) { return (items + workers) - (items + 1); }
};

const Registration<Mutant> registered{{
    .name = "counter_rewound_by_one_worker",
    .summary = "the work counter outlives the call; at its end it is set back by the items and by one, as if one "
               "worker had overshot it; every worker has",
    .source = "vllm-project/vllm-xpu-kernels PR #457",
    .property = "repeats_bitwise",
    .reason = "not-repeatable",
    .problem = "shape=1x2x200x32x16",
    .kernel = [] { return kernel<Persistent<Fault>, TwoPassBackward<TwoPassPolicy>>("counter_rewound_by_one_worker"); },
    .twin = right_persistent_two_pass,
}};

}  // namespace
}  // namespace attestone::inline mutants::third_batch
