// SPDX-License-Identifier: Apache-2.0
// Mutant of the split-KV host: shows in dBias where a bias repeats over the batch.
#include "mutants/hosts/fifth_batch/right.hpp"
#include "mutants/hosts/fifth_batch/row_kernel.hpp"
#include "mutants/hosts/fifth_batch/split_kv.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::fifth_batch {
namespace {

struct Fault : SplitKv {
  void begin_bias_gradient(BiasSums& dbias) const override {
    if (dbias.wanted() && dbias.repeats_over_batch()) dbias.clear();
  }
};

const Registration<Mutant> registered{{
    .name = "dbias_of_last_sequence",
    .summary = "a bias that repeats over the batch gets the gradient of the last sequence, which overwrites those "
               "before it",
    .source = "jax-ml/jax #30593, HKUSTDial/flash-sparse-attention PR #193",
    .property = "gradient_bound",
    .reason = "wrong-gradient",
    .problem = "shape=2x1x8x8x8 score=bias:head pass=forward+backward",
    .kernel = [] { return row_kernel<Fault>("dbias_of_last_sequence"); },
    .twin = right_split_kv,
}};

}  // namespace
}  // namespace attestone::inline mutants::fifth_batch
