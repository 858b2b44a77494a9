// SPDX-License-Identifier: Apache-2.0
// Mutant of the cascade host: shows with grouped heads, more than one kv head, and no mask. The twin takes nothing off
// its keys: what is taken off and given back is rounded like the largest key, which the default class does not allow.
#include "mutants/hosts/fourth_batch/cascade.hpp"
#include "mutants/hosts/fourth_batch/kernel.hpp"
#include "mutants/hosts/fourth_batch/right.hpp"
#include "mutants/hosts/fourth_batch/stored.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::fourth_batch {
namespace {

struct Fault : Cascade {
  using Cascade::Cascade;

  bool smooths() const { return a.mask_form == ATTESTONE_MASK_FULL && !(a.softcap > 0) && !bias; }
  Floats mean(const Sequence& s, Int kv, Int j0, Int j1) const {
    Floats sum = filled(dim), key = filled(dim);
    for (Int j = j0; j < j1; ++j) {
      load_key(s, kv, j, key.data());
      add_scaled(sum.data(), 1.0f / static_cast<float>(j1 - j0), key.data(), dim);
    }
    return sum;
  }
  void prepare(const Sequence& s, Int kv, Int j0, Int j1, Floats& keys) const override {
    if (!smooths()) return;
    const Floats m = mean(s, kv, j0, j1);
    for (Int j = j0; j < j1; ++j) add_scaled(&keys[at((j - j0) * dim)], -1.0f, m.data(), dim);
  }
  float missing(const Sequence& s, Int h, Int j0, Int j1, const float* query) const override {
    if (!smooths()) return 0.0f;
    return product(query, mean(s, group > 1 ? h % a.kv_heads : h, j0, j1).data(), dim) * scale();
  }
};

const Registration<Mutant> registered{{
    .name = "smoothed_keys_compensated_by_other_head",
    .summary = "the mean of the keys of a part is taken off them, and log_sum_exp is compensated by the mean "
               "of kv head h mod kv_heads",
    .source = "ROCm/aiter PR #3334, ROCm/aiter PR #3349",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x4/2x16x64x16",
    .kernel = [] { return kernel<Fault, Stored>("smoothed_keys_compensated_by_other_head"); },
    .twin = right_cascade_stored,
}};

}  // namespace
}  // namespace attestone::inline mutants::fourth_batch
