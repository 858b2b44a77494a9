// SPDX-License-Identifier: Apache-2.0
// Mutant of the fragments host: shows where V lies otherwise than K.
#include "mutants/hosts/fourth_batch/fragments.hpp"
#include "mutants/hosts/fourth_batch/kernel.hpp"
#include "mutants/hosts/fourth_batch/right.hpp"
#include "mutants/hosts/fourth_batch/stored.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::fourth_batch {
namespace {

struct Fault : Fragments {
  using Fragments::Fragments;

  Int value_at(const Sequence& s, Int kv, Int j) const override {
    return dim == value_dim ? key_at(s, kv, j) : Fragments::value_at(s, kv, j);
  }
};

const Registration<Mutant> registered{{
    .name = "values_by_strides_of_keys",
    .summary = "where dim and value_dim agree, the rows of V are found by the strides of K",
    .source = "ROCm/pytorch #3230",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x2x16x16x16 layout=bhsd+key/bshd",
    .kernel = [] { return kernel<Fault, Stored>("values_by_strides_of_keys"); },
    .twin = right_fragments_stored,
}};

}  // namespace
}  // namespace attestone::inline mutants::fourth_batch
