// SPDX-License-Identifier: Apache-2.0
// Mutant of the split-KV host: shows with a negative scale and scores of a block more than 88 apart; without
// overflow the answer is right.
#include "mutants/hosts/fifth_batch/right.hpp"
#include "mutants/hosts/fifth_batch/row_kernel.hpp"
#include "mutants/hosts/fifth_batch/split_kv.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::fifth_batch {
namespace {

struct Fault : SplitKv {
  float block_maximum(const RowCall& call, const Floats& scores, const std::vector<char>& visible,
                      Int count) const override {
    if (call.scale() >= 0 || call.bias || call.slopes) return SplitKv::block_maximum(call, scores, visible, count);
    float least = -minus_infinity;
    for (std::size_t n = 0; n < at(count); ++n)
      if (visible[n]) least = std::min(least, scores[n]);
    return least == -minus_infinity ? minus_infinity : least;
  }
};

const Registration<Mutant> registered{{
    .name = "maximum_before_negative_scale",
    .summary = "the maximum of a block is that of q.k, and multiplied by the scale later: with a negative scale "
               "it is the least score",
    .source = "pytorch/pytorch PR #105202",
    .property = "value_bound",
    .reason = "wrong-non-finite",
    .problem = "shape=1x1x16x64x8 scale=-50",
    .kernel = [] { return row_kernel<Fault>("maximum_before_negative_scale"); },
    .twin = right_split_kv,
}};

}  // namespace
}  // namespace attestone::inline mutants::fifth_batch
