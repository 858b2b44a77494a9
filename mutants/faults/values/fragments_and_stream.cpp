// SPDX-License-Identifier: Apache-2.0
// Blocks and packs of the output that are numbered, merged or stored wrongly.
#include "mutants/hosts/fragments/expanded.hpp"
#include "mutants/hosts/fragments/fragments.hpp"
#include "mutants/hosts/fragments/kernel.hpp"
#include "mutants/hosts/fragments/right.hpp"
#include "mutants/hosts/fragments/stored.hpp"
#include "mutants/hosts/fragments/stream.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::fragments {
namespace {

/// Shows where few blocks have many steps.
struct BlockMergesOnePartner : Stream {
  using Stream::Stream;

  bool takes(const Block&, Int owner, Int c) const override { return c == owner + 1; }
};

/// Shows with thousands of packed rows.
struct BlockNumberByShortReciprocal : Stream {
  using Stream::Stream;

  /// Numbers that come out too large may name a sequence behind the batch.
  Sequence planned(Int b) const override { return sequence(std::min(b, a.batch - 1)); }
  Int quotient(Int n, Int d) const override { return (n * ((65536 + d - 1) / d)) >> 16; }
};

/// Shows where value_dim is 8, 24, 40, ...
struct LastOddPackStoredWithHalvesSwapped : Fragments {
  using Fragments::Fragments;

  Int out_column(Int c) const override {
    const bool alone = value_dim % 16 == 8 && c >= value_dim - 8;
    return alone ? c ^ 4 : c;
  }
};

const Registrations<Mutant> registered{
    {.name = "block_merges_one_partner",
     .summary = "who finishes a block adds what the next processor did of it, and no more: a block is thought to lie "
                "on two processors at most",
     .source = "ROCm/rocm-libraries PR #2337",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x1x1x1000x16",
     .batch = "fourth",
     .kernel = [] { return kernel<BlockMergesOnePartner, Stored>("block_merges_one_partner"); },
     .twin = right_stream_stored},
    {.name = "block_number_by_short_reciprocal",
     .summary = "blocks are numbered by a fixed-point reciprocal of 16 bits, which is exact for small numbers only: "
                "some blocks are never answered",
     .source = "AMD-AGI/Primus-Turbo PR #502",
     .property = "value_bound",
     .reason = "wrong-non-finite",
     .problem = "shape=1x1x4112x2x4",
     .batch = "fourth",
     .kernel = [] { return kernel<BlockNumberByShortReciprocal, Stored>("block_number_by_short_reciprocal"); },
     .twin = right_stream_stored},
    {.name = "last_odd_pack_stored_with_halves_swapped",
     .summary = "the output is stored by pairs of packs of eight channels; of a last pack without a partner the halves "
                "change places",
     .source = "Dao-AILab/flash-attention PR #2553",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x2x16x24x24",
     .batch = "fourth",
     .kernel =
         [] {
           return kernel<LastOddPackStoredWithHalvesSwapped, Expanded>("last_odd_pack_stored_with_halves_swapped");
         },
     .twin = right_fragments_expanded},
};

}  // namespace
}  // namespace attestone::inline mutants::fragments
