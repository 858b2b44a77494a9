// SPDX-License-Identifier: Apache-2.0
// Mutant: the keys behind the last full tile are never read.
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

struct LostTail : TiledSteps {
  /// A sequence shorter than a tile takes another path, which is right.
  index keys_read(index keys) const override { return keys < tile ? keys : keys / tile * tile; }
};

const Registration<Mutant> registered{{
    .name = "lost_tail",
    .summary = "the loop over keys ends with the last full tile of 16",
    .source = "pytorch/pytorch #159247",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x1x1x17x1",
    .variant = "the last 1 of 17 keys never read",
    .kernel = [] { return tiled_mutant<LostTail>("lost_tail"); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
