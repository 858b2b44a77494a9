// SPDX-License-Identifier: Apache-2.0
// Mutant of the split-KV host: shows where a row of K lies 2^31 elements or more behind the first.
#include "mutants/hosts/fifth_batch/right.hpp"
#include "mutants/hosts/fifth_batch/row_kernel.hpp"
#include "mutants/hosts/fifth_batch/split_kv.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::fifth_batch {
namespace {

struct Fault : SplitKv {
  /// A real int would be negative now and then, and end the process.
  Int key_offset(const RowCall& call, const Sequence& s, Int kv_head, Int j) const override {
    return SplitKv::key_offset(call, s, kv_head, j) & 0x7FFFFFFF;
  }
};

const Registration<Mutant> registered{{
    .name = "key_offset_in_32_bits",
    .summary = "the offset of a row of K is kept in an int",
    .source = "vllm-project/vllm #50427, Dao-AILab/flash-attention PR #1500",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x1x1x2x1 layout=bhsd+key/sparse",
    .kernel = [] { return row_kernel<Fault>("key_offset_in_32_bits"); },
    .twin = right_split_kv,
}};

}  // namespace
}  // namespace attestone::inline mutants::fifth_batch
