// SPDX-License-Identifier: Apache-2.0
// Mutant of the two-pass backward host: shows in dsink with more than one sequence.
#include "mutants/hosts/third_batch/kernel.hpp"
#include "mutants/hosts/third_batch/persistent.hpp"
#include "mutants/hosts/third_batch/right.hpp"
#include "mutants/hosts/third_batch/two_pass_backward.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::third_batch {
namespace {

struct Fault : TwoPassPolicy {
  static void add_sink(float& total, float sequence_sum) { total = sequence_sum; }
};

const Registration<Mutant> registered{{
    .name = "dsink_keeps_the_last_sequence",
    .summary = "the sink's gradient is stored by each sequence, not added",
    .source = "ROCm/aiter PR #1576",
    .property = "gradient_bound",
    .reason = "wrong-gradient",
    .problem = "shape=2x2x16x16x16 score=sink:head pass=forward+backward",
    .kernel =
        [] { return kernel<Persistent<PersistentPolicy>, TwoPassBackward<Fault>>("dsink_keeps_the_last_sequence"); },
    .twin = right_persistent_two_pass,
}};

}  // namespace
}  // namespace attestone::inline mutants::third_batch
