// SPDX-License-Identifier: Apache-2.0
// Mutant of the fragments host: shows with layout=broadcast and 33, 65, ... keys.
#include "mutants/hosts/fourth_batch/expanded.hpp"
#include "mutants/hosts/fourth_batch/fragments.hpp"
#include "mutants/hosts/fourth_batch/kernel.hpp"
#include "mutants/hosts/fourth_batch/right.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::fourth_batch {
namespace {

struct Fault : Fragments {
  using Fragments::Fragments;

  Int value_at(const Sequence& s, Int kv, Int j) const override {
    const bool shared = v.stride[1] == 0 && a.kv_heads > 1 && s.keys % 32 == 1 && s.keys > 1;
    return Fragments::value_at(s, kv, shared && j == s.keys - 1 ? j - 1 : j);
  }
};

const Registration<Mutant> registered{{
    .name = "single_tail_key_of_shared_heads_repeats_the_one_before",
    .summary = "where all kv heads share V by a stride of 0 and keys are one more than a multiple of 32, the "
               "tail of one row takes the value of the row before",
    .source = "pytorch/pytorch #191937",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x2x4x33x16 layout=broadcast",
    .kernel = [] { return kernel<Fault, Expanded>("single_tail_key_of_shared_heads_repeats_the_one_before"); },
    .twin = right_fragments_expanded,
}};

}  // namespace
}  // namespace attestone::inline mutants::fourth_batch
