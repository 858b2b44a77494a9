// SPDX-License-Identifier: Apache-2.0
// Mutant: zero keys that fill up an exchange, and that nothing masks.
#include "mutants/hosts/weighing_padding.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

const Registration<Mutant> registered{{
    .name = "zero_keys_of_exchange_weigh",
    .summary = "attends to the zero keys by which a sequence is filled up until its group divides it",
    .source = "ByteDance-Seed/VeOmni PR #1139; vllm-project/vllm-omni PR #672",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x2x1x3x1",
    .variant = "1 key of zeros takes part",
    .kernel = [] { return mesh_mutant<WeighingPadding>("zero_keys_of_exchange_weigh", ulysses_of_two); },
    .twin = [] { return mesh_twin(ulysses_of_two); },
}};

}  // namespace
}  // namespace attestone::inline mutants
