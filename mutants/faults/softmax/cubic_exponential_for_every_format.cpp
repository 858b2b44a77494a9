// SPDX-License-Identifier: Apache-2.0
// Mutant of the fragments host: shows in f32 with few keys: single weights err by 1e-4 of themselves.
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

  float exp2_of(float x, int column) const override {
    if (column % 4 != 3 || !(x > -125.0f) || x > 0) return std::exp2(x);
    const float whole = std::floor(x), f = x - whole;
    const float p = 1.0f + f * (0.695146143f + f * (0.227564394f + f * 0.077119090f));
    return std::ldexp(p, static_cast<int>(whole));
  }
};

const Registration<Mutant> registered{{
    .name = "cubic_exponential_for_every_format",
    .summary = "of each four exponentials one is a polynomial of degree three, which is good enough for "
               "weights of 16 bits, and is used for f32 as well",
    .source = "Dao-AILab/flash-attention #2081",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x2x16x4x4",
    .kernel = [] { return kernel<Fault, Expanded>("cubic_exponential_for_every_format"); },
    .twin = right_fragments_expanded,
}};

}  // namespace
}  // namespace attestone::inline mutants::fourth_batch
