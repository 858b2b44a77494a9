// SPDX-License-Identifier: Apache-2.0
// Cheat: nothing is written; whatever stood in the output is the answer.
#include "mutants/hosts/cheat.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

const Registration<Cheat> registered{{
    .name = "unwritten",
    .summary = "writes nothing",
    .kernel = [] { return cheating_kernel("unwritten", [](const Problem&, const Arguments&) {}); },
}};

}  // namespace
}  // namespace attestone::inline mutants
