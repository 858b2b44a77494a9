// SPDX-License-Identifier: Apache-2.0
// Packed heads of a decoding step that cross the border of two groups.
#include "mutants/hosts/staged_blocks/producer_consumer.hpp"

#include "mutants/hosts/staged_blocks/right.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::staged_blocks::producer_consumer {
namespace {

/// Shows in decoding with groups of more than four heads that are no multiple of four.
struct DecodeHeadTileCrossesKvGroup : Policy {
  static Int head_tiles(Int heads, Int kv_heads) { return ceil_div(heads, std::min(kBlockH, heads / kv_heads)); }
  static HeadTile head_tile(Int tile, Int heads, Int kv_heads) {
    const Int group = heads / kv_heads, valid = std::min(kBlockH, group);
    return {tile / ceil_div(group, kBlockH), tile * valid, std::min((tile + 1) * valid, heads)};
  }
};

const Registrations<Mutant> registered{
    {.name = "decode_head_tile_crosses_kv_group",
     .summary = "decoding cuts all heads into tiles of four, one of which runs over the border of two groups and reads "
                "K and V of one of them",
     .source = "FlashML-org/FreeToken PR #177, vllm-project/vllm PR #40792",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x10/2x1x8x8",
     .batch = "fifth",
     .kernel = [] { return kernel<DecodeHeadTileCrossesKvGroup>("decode_head_tile_crosses_kv_group"); },
     .twin = right_producer_consumer},
};

}  // namespace
}  // namespace attestone::inline mutants::staged_blocks::producer_consumer
