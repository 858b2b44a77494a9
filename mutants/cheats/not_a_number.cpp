// SPDX-License-Identifier: Apache-2.0
// Cheat: NaN everywhere, which every comparison by > lets pass.
#include <limits>

#include "mutants/hosts/cheat.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

const Registration<Cheat> registered{{
    .name = "not_a_number",
    .summary = "NaN everywhere",
    .kernel =
        [] {
          return cheating_kernel("not_a_number", [](const Problem&, const Arguments& arguments) {
            write_everywhere(arguments, nan, nan);
          });
        },
}};

}  // namespace
}  // namespace attestone::inline mutants
