// SPDX-License-Identifier: Apache-2.0
// Mutant of the split-KV host: shows where the keys of a sequence are split.
#include "mutants/hosts/fifth_batch/right.hpp"
#include "mutants/hosts/fifth_batch/row_kernel.hpp"
#include "mutants/hosts/fifth_batch/split_kv.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::fifth_batch {
namespace {

struct Fault : SplitKv {
  float merge_weight(float of_part, float of_all) const override { return std::exp2(of_part - of_all); }
};

const Registration<Mutant> registered{{
    .name = "parts_merged_in_base_two",
    .summary = "parts are merged by powers of two of their maxima, which are natural",
    .source = "sgl-project/sglang #33064, vllm-project/vllm PR #28840",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x2x4x130x8",
    .kernel = [] { return row_kernel<Fault>("parts_merged_in_base_two"); },
    .twin = right_split_kv,
}};

}  // namespace
}  // namespace attestone::inline mutants::fifth_batch
