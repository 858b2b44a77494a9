// SPDX-License-Identifier: Apache-2.0
// Cheat: one number everywhere, about the mean of uniform inputs.
#include "mutants/hosts/cheat.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

const Registration<Cheat> registered{{
    .name = "constant",
    .summary = "1/2 everywhere",
    .kernel =
        [] {
          return cheating_kernel(
              "constant", [](const Problem&, const Arguments& arguments) { write_everywhere(arguments, 0.5, 0.5); });
        },
}};

}  // namespace
}  // namespace attestone::inline mutants
