// SPDX-License-Identifier: Apache-2.0
// Mutant of the split-KV host: shows with sinks where the keys of a sequence are split.
#include "mutants/hosts/fifth_batch/right.hpp"
#include "mutants/hosts/fifth_batch/row_kernel.hpp"
#include "mutants/hosts/fifth_batch/split_kv.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::fifth_batch {
namespace {

struct Fault : SplitKv {
  bool begins_with_sink(const Work& /*work*/) const override { return true; }
};

const Registration<Mutant> registered{{
    .name = "sink_in_every_part",
    .summary = "each part of a split row begins with the sink, which is counted once for every part",
    .source = "ROCm/rocm-libraries #12227",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x4x2x70x4 score=sink:head",
    .kernel = [] { return row_kernel<Fault>("sink_in_every_part"); },
    .twin = right_split_kv,
}};

}  // namespace
}  // namespace attestone::inline mutants::fifth_batch
