// SPDX-License-Identifier: Apache-2.0
// Mutant of the fragments host: shows in bf16 and f16 with a bias along keys and keys that are no multiple of four, in
// the last keys.
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

  float bias_of(const Sequence& s, Int h, Int i, Int j) const override {
    const Int whole = a.keys / 4 * 4;
    if (bias.format != Format::f32 && j >= whole && a.keys > 4) j = j - whole + a.keys - 4;
    return Fragments::bias_of(s, h, i, j);
  }
};

const Registration<Mutant> registered{{
    .name = "bias_tail_taken_from_last_whole_vector",
    .summary = "a 16-bit bias is loaded by four elements; the last vector of a row is moved back so that it "
               "ends with the row, and its elements are taken as if it had not been",
    .source = "pytorch/pytorch #112577, pytorch/pytorch PR #114837",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x2x8x18x16 score=bias:full dtype=bf16",
    .kernel = [] { return kernel<Fault, Expanded>("bias_tail_taken_from_last_whole_vector"); },
    .twin = right_fragments_expanded,
}};

}  // namespace
}  // namespace attestone::inline mutants::fourth_batch
