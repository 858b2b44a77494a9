// SPDX-License-Identifier: Apache-2.0
// Mutant: scales of K of another granularity than is declared.
#include "backends/catalogue.hpp"
#include "mutants/hosts/claims.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

const Registration<Mutant> registered{{
    .name = "keys_coded_by_token_for_channel",
    .summary = "keeps K with a scale for each token, and declares one for each channel",
    .property = "codes_bound",
    .reason = "wrong-number",
    .problem = "shape=1x1x4x16x16 dtype=f16",
    .kernel = [] { return claiming("keys_coded_by_token_for_channel", "coded_cache:keys=token", "coded_cache"); },
    .twin = [] { return make_kernel("coded_cache"); },
}};

}  // namespace
}  // namespace attestone::inline mutants
