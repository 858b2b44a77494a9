// SPDX-License-Identifier: Apache-2.0
// Products of q and k that are summed in f16.
#include "mutants/hosts/row_panels/split_kv.hpp"

#include "mutants/hosts/row_panels/kernel.hpp"
#include "mutants/hosts/row_panels/right.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::row_panels {
namespace {

/// Shows with f16: clearly where q.k overflows, elsewhere by a few times the bound.
struct ScoresSummedInHalf : SplitKv {
  float query_times_key(const RowCall& call, const float* query, const float* key, Int n) const override {
    if (call.input != Format::f16) return SplitKv::query_times_key(call, query, key, n);
    float sum = 0;
    for (Int c = 0; c < n; ++c) sum = rounded(sum + query[c] * key[c], Format::f16);
    return sum;
  }
};

const Registrations<Mutant> registered{
    {.name = "scores_summed_in_half",
     .summary = "with f16 inputs q.k is summed in f16, which nobody declares",
     .source = "ikawrakow/ik_llama.cpp PR #2151, ggml-org/llama.cpp #7805",
     .property = "value_bound",
     .reason = "wrong-non-finite",
     .problem = "shape=1x1x4x16x64 dtype=f16 fill=large_logits",
     .batch = "fifth",
     .kernel = [] { return row_kernel<ScoresSummedInHalf>("scores_summed_in_half"); },
     .twin = right_split_kv},
};

}  // namespace
}  // namespace attestone::inline mutants::row_panels
