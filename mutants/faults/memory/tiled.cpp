// SPDX-License-Identifier: Apache-2.0
// Tiles that read K, V and Q by narrow indices or by strides that are not theirs, or that are not stored.
#include "mutants/hosts/tiled.hpp"

#include <cstdint>

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

struct KeyIndexInAByte : TiledSteps {
  index key_row(index, index key) const override { return key & 0xFF; }
};

struct StridesAssumedPacked : TiledSteps {
  ConstView query(const KernelInputs& inputs) const override {
    return {inputs.query.data(), inputs.query.dtype(), inputs.query.extents(), packed_strides(inputs.query.extents())};
  }
};

struct ValueWithStridesOfKey : TiledSteps {
  ConstView value(const KernelInputs& inputs) const override {
    return {inputs.value.data(), inputs.value.dtype(), inputs.value.extents(), inputs.key.strides()};
  }
};

struct UnwrittenRows : TiledSteps {
  index rows_stored(index rows_of_tile) const override { return rows_of_tile == tile ? tile : 0; }
};

const Registrations<Mutant> registered{
    {.name = "short_row_offset",
     .summary = "keeps the number of a key row times 1024 in 16 bits, so that row 64 is row 0 again",
     .source = "facebookresearch/xformers #719",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x1x1x65x1",
     .kernel = [] { return tiled_mutant<ShortRowOffset>("short_row_offset"); },
     .twin = tiled_twin},
    {.name = "key_index_in_a_byte",
     .summary = "keeps the index of a key in eight bits",
     .property = "exact_keys",
     .reason = "wrong-key",
     .problem = "shape=1x1x16x300x9",
     .kernel = [] { return tiled_mutant<KeyIndexInAByte>("key_index_in_a_byte"); },
     .twin = tiled_twin},
    {.name = "strides_assumed_packed",
     .summary = "reads the query as if it were packed, whatever its strides",
     .property = "layout_irrelevant",
     .reason = "layout",
     .problem = "shape=1x1x2x1x1",
     .kernel = [] { return tiled_mutant<StridesAssumedPacked>("strides_assumed_packed"); },
     .twin = tiled_twin},
    {.name = "value_with_strides_of_key",
     .summary = "takes the strides of K for V, which is only right while both are alike",
     .source = "ROCm/pytorch #3230",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x1x1x2x1:2",
     .kernel = [] { return tiled_mutant<ValueWithStridesOfKey>("value_with_strides_of_key"); },
     .twin = tiled_twin},
    {.name = "unwritten_rows",
     .summary = "the rows of a tile with fewer than 16 queries are never written",
     .source = "vllm-project/vllm-ascend PR #6558",
     .property = "guards",
     .reason = "unwritten",
     .problem = "shape=1x1x1x4x8",
     .kernel = [] { return tiled_mutant<UnwrittenRows>("unwritten_rows"); },
     .twin = tiled_twin},
};

}  // namespace
}  // namespace attestone::inline mutants
