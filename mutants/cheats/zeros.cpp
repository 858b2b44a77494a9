// SPDX-License-Identifier: Apache-2.0
// Cheat: zero everywhere: the answer of many a tolerance that is scaled by the largest element.
#include "mutants/hosts/cheat.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

const Registration<Cheat> registered{{
    .name = "zeros",
    .summary = "0 everywhere",
    .kernel =
        [] {
          return cheating_kernel("zeros",
                                 [](const Problem&, const Arguments& arguments) { write_everywhere(arguments, 0, 0); });
        },
}};

}  // namespace
}  // namespace attestone::inline mutants
