// SPDX-License-Identifier: Apache-2.0
// Mutant: scales of V of another granularity than is declared.
#include "backends/catalogue.hpp"
#include "mutants/hosts/claims.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

const Registration<Mutant> registered{{
    .name = "values_coded_by_channel_for_token",
    .summary = "keeps V with a scale for each channel, and declares one for each token",
    .property = "codes_bound",
    .reason = "wrong-number",
    .problem = "shape=1x1x4x16x16 dtype=f16",
    .kernel = [] { return claiming("values_coded_by_channel_for_token", "coded_cache:values=channel", "coded_cache"); },
    .twin = [] { return make_kernel("coded_cache"); },
}};

}  // namespace
}  // namespace attestone::inline mutants
