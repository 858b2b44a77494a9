// SPDX-License-Identifier: Apache-2.0
// Mutant: the index of a key is too narrow.
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

struct KeyIndexInAByte : TiledSteps {
  index key_row(index, index key) const override { return key & 0xFF; }
};

const Registration<Mutant> registered{{
    .name = "key_index_in_a_byte",
    .summary = "keeps the index of a key in eight bits",
    .property = "exact_keys",
    .reason = "wrong-key",
    .problem = "shape=1x1x16x300x9",
    .kernel = [] { return tiled_mutant<KeyIndexInAByte>("key_index_in_a_byte"); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
