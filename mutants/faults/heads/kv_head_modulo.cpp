// SPDX-License-Identifier: Apache-2.0
// Mutant: query heads are dealt out to the kv heads in turn instead of in groups.
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

struct KvHeadModulo : TiledSteps {
  index kv_head(index head, const Shape& shape) const override { return head % shape.kv_heads; }
};

const Registration<Mutant> registered{{
    .name = "kv_head_modulo",
    .summary = "query head h reads kv head h % kv_heads",
    .source = "ekzhang/jax-js PR #180",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x4/2x1x4x8",
    .variant = "kv heads interleaved",
    .kernel = [] { return tiled_mutant<KvHeadModulo>("kv_head_modulo"); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
