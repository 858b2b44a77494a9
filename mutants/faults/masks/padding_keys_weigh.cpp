// SPDX-License-Identifier: Apache-2.0
// Mutant: a partial tile is filled up with keys of zeros.
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

struct PaddingKeysWeigh : TiledSteps {
  float padding(index missing_keys, float m) const override { return static_cast<float>(missing_keys) * weight(0, m); }
};

const Registration<Mutant> registered{{
    .name = "padding_keys_weigh",
    .summary = "fills the last tile with keys of zeros that nobody masks, so that the denominator is too large",
    .source = "tenstorrent/tt-metal #6832",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x1x1x2x1",
    .kernel = [] { return tiled_mutant<PaddingKeysWeigh>("padding_keys_weigh"); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
