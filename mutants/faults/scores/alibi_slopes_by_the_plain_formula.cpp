// SPDX-License-Identifier: Apache-2.0
// Mutant of the fragments host, and of the expanded backward host: shows with alibi and 3, 6, 12, ... heads, in both
// passes alike.
#include <bit>

#include "mutants/hosts/fourth_batch/expanded.hpp"
#include "mutants/hosts/fourth_batch/fragments.hpp"
#include "mutants/hosts/fourth_batch/kernel.hpp"
#include "mutants/hosts/fourth_batch/right.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::fourth_batch {
namespace {

template <class Host>
struct Fault : Host {
  using Host::Host;

  float slope_of(Int h) const override {
    const Int heads = this->a.heads;
    if (std::has_single_bit(static_cast<std::uint64_t>(heads))) return Host::slope_of(h);
    return std::exp2(-8.0f * static_cast<float>(h + 1) / static_cast<float>(heads));
  }
};

const Registration<Mutant> registered{{
    .name = "alibi_slopes_by_the_plain_formula",
    .summary = "slopes are computed as 2^(-8 (h + 1) / heads), which is right for powers of two only",
    .source = "NVIDIA/TensorRT-LLM PR #1611",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x6x16x24x16 score=alibi",
    .kernel = [] { return kernel<Fault<Fragments>, Fault<Expanded>>("alibi_slopes_by_the_plain_formula"); },
    .twin = right_fragments_expanded,
}};

}  // namespace
}  // namespace attestone::inline mutants::fourth_batch
