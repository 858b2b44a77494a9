// SPDX-License-Identifier: Apache-2.0
// Cheat: 2^100 everywhere: finite, so that a search for NaN and infinity finds nothing.
#include "mutants/hosts/cheat.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

constexpr double huge = 0x1p100;

const Registration<Cheat> registered{{
    .name = "huge",
    .summary = "2^100 everywhere, or what that is in the output format",
    .kernel =
        [] {
          return cheating_kernel(
              "huge", [](const Problem&, const Arguments& arguments) { write_everywhere(arguments, huge, huge); });
        },
}};

}  // namespace
}  // namespace attestone::inline mutants
