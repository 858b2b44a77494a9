// SPDX-License-Identifier: Apache-2.0
// Exponentials and sums of a warp that are precise enough for other formats and dims only.
#include "mutants/hosts/fragments/fragments.hpp"

#include "mutants/hosts/fragments/expanded.hpp"
#include "mutants/hosts/fragments/kernel.hpp"
#include "mutants/hosts/fragments/right.hpp"
#include "mutants/hosts/fragments/stored.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::fragments {
namespace {

/// Shows in f32 with few keys: single weights err by 1e-4 of themselves.
struct CubicExponentialForEveryFormat : Fragments {
  using Fragments::Fragments;

  float exp2_of(float x, int column) const override {
    if (column % 4 != 3 || !(x > -125.0f) || x > 0) return std::exp2(x);
    const float whole = std::floor(x), f = x - whole;
    const float p = 1.0f + f * (0.695146143f + f * (0.227564394f + f * 0.077119090f));
    return std::ldexp(p, static_cast<int>(whole));
  }
};

/// Shows for dim above 128: an output that is too large by a factor, and log_sum_exp.
struct WideHeadsSumHalfOfTheQuad : Fragments {
  using Fragments::Fragments;

  void quad_sum(RowPair& x) const override {
    for (const int step : {1, 2})
      if (step == 1 || dim <= 128) x = added(x, shuffled(x, step));
  }
};

const Registrations<Mutant> registered{
    {.name = "cubic_exponential_for_every_format",
     .summary = "of each four exponentials one is a polynomial of degree three, which is good enough for weights of 16 "
                "bits, and is used for f32 as well",
     .source = "Dao-AILab/flash-attention #2081",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x2x16x4x4",
     .batch = "fourth",
     .kernel = [] { return kernel<CubicExponentialForEveryFormat, Expanded>("cubic_exponential_for_every_format"); },
     .twin = right_fragments_expanded},
    {.name = "wide_heads_sum_half_of_the_quad",
     .summary = "for heads wider than 128 the sum of weights is reduced over two of the four lanes of a quad",
     .source = "flashinfer-ai/flashinfer PR #3838",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x2x16x24x136",
     .batch = "fourth",
     .kernel = [] { return kernel<WideHeadsSumHalfOfTheQuad, Stored>("wide_heads_sum_half_of_the_quad"); },
     .twin = right_fragments_stored},
};

}  // namespace
}  // namespace attestone::inline mutants::fragments
