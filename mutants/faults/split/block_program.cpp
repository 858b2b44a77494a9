// SPDX-License-Identifier: Apache-2.0
// A last block of keys that is masked by the extent of the batch.
#include "mutants/hosts/staged_blocks/block_program.hpp"

#include "mutants/hosts/staged_blocks/right.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::staged_blocks::block_program {
namespace {

/// Shows where a sequence ends within a block of 16 keys and the extent of the batch does not.
struct TailMaskDecidedByExtentOfKeys : Policy {
  static bool keys_fill_blocks(const Call& c, const Sequence& /*s*/) { return c.a.keys % kBlockN == 0; }
};

const Registrations<Mutant> registered{
    {.name = "tail_mask_decided_by_extent_of_keys",
     .summary = "whether the last block of keys needs a mask is decided by the extent of the batch, so that keys "
                "behind a sequence take part with the score 0",
     .source = "flashinfer-ai/flashinfer #3716, flashinfer-ai/flashinfer PR #5090",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x1x4x16x8 lengths=9",
     .batch = "fifth",
     .kernel = [] { return kernel<TailMaskDecidedByExtentOfKeys>("tail_mask_decided_by_extent_of_keys"); },
     .twin = right_block_program},
};

}  // namespace
}  // namespace attestone::inline mutants::staged_blocks::block_program
