// SPDX-License-Identifier: Apache-2.0
// Query heads that read another kv head, and sequences that begin in another row.
#include "mutants/hosts/tiled.hpp"

#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

struct CuSeqlensOffByOne : TiledSteps {
  index key_row(index batch, index key) const override { return batch > 0 ? key - 1 : key; }
};

struct FirstKvHead : TiledSteps {
  index kv_head(index, const Shape&) const override { return 0; }
};

struct KvHeadModulo : TiledSteps {
  index kv_head(index head, const Shape& shape) const override { return head % shape.kv_heads; }
};

struct UngroupedHeadsReversed : TiledSteps {
  index kv_head(index head, const Shape& shape) const override {
    return shape.heads == shape.kv_heads ? shape.heads - 1 - head : TiledSteps::kv_head(head, shape);
  }
};

const Registrations<Mutant> registered{
    {.name = "cu_seqlens_off_by_one",
     .summary = "begins every sequence but the first one row too early",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=2x1x2x2x1 layout=ragged",
     .variant = "one row short behind the first sequence",
     .kernel = [] { return tiled_mutant<CuSeqlensOffByOne>("cu_seqlens_off_by_one"); },
     .twin = tiled_twin},
    {.name = "first_kv_head",
     .summary = "divides strides where it must multiply, and every head reads kv head 0",
     .source = "BobMcDear/attorch #14",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x2x1x2x1",
     .variant = "first kv head for all",
     .kernel = [] { return tiled_mutant<FirstKvHead>("first_kv_head"); },
     .twin = tiled_twin},
    {.name = "kv_head_modulo",
     .summary = "query head h reads kv head h % kv_heads",
     .source = "ekzhang/jax-js PR #180",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x4/2x1x4x8",
     .variant = "kv heads interleaved",
     .kernel = [] { return tiled_mutant<KvHeadModulo>("kv_head_modulo"); },
     .twin = tiled_twin},
    {.name = "ungrouped_heads_reversed",
     .summary = "reads kv heads in reverse where every query head has its own",
     .property = "grouping_irrelevant",
     .reason = "grouping",
     .problem = "shape=1x4/2x1x2x1",
     .kernel = [] { return tiled_mutant<UngroupedHeadsReversed>("ungrouped_heads_reversed"); },
     .twin = tiled_twin},
};

}  // namespace
}  // namespace attestone::inline mutants
