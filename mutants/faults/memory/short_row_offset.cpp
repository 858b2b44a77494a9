// SPDX-License-Identifier: Apache-2.0
// Mutant: the offset of a row overflows.
#include <cstdint>

#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

struct ShortRowOffset : TiledSteps {
  index key_row(index, index key) const override {
    constexpr index elements_per_row = 1024;
    return static_cast<std::uint16_t>(key * elements_per_row) / elements_per_row;
  }
};

const Registration<Mutant> registered{{
    .name = "short_row_offset",
    .summary = "keeps the number of a key row times 1024 in 16 bits, so that row 64 is row 0 again",
    .source = "facebookresearch/xformers #719",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x1x1x65x1",
    .kernel = [] { return tiled_mutant<ShortRowOffset>("short_row_offset"); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
