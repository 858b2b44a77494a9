// SPDX-License-Identifier: Apache-2.0
// Right answers whose bits follow what the kernel declares them independent of.
#include "mutants/hosts/scheduled.hpp"

#include <algorithm>

#include "mutants/hosts/split.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

index tile_follows_batch(const Problem& problem) { return problem.shape.batch > 2 ? small_tile : usual_tile; }

index tile_follows_heads(const Problem& problem) { return problem.shape.kv_heads > 2 ? small_tile : usual_tile; }

index tile_follows_mates(const Problem& problem) { return problem.shape.queries > 9 ? small_tile : usual_tile; }

index tile_follows_padding(const Problem& problem) { return !problem.lengths.empty() ? small_tile : usual_tile; }

index tile_follows_queries(const Problem& problem) { return problem.shape.queries < 4 ? small_tile : usual_tile; }

index usual(const Problem&) { return usual_tile; }
index gradient_tile_follows_batch(const Problem& problem) { return problem.shape.batch > 2 ? small_tile : usual_tile; }

struct PartsFollowKeys : SplitSteps {
  static constexpr index shares = 4;
  index part_keys(index keys) const override { return std::max<index>((keys + shares - 1) / shares, 1); }
};

const Registrations<Mutant> registered{
    {.name = "tile_follows_batch",
     .summary =
         "takes smaller tiles of keys for three sequences and more, and declares that rows do not follow the batch",
     .source = "pegainfer-project/pegainfer #623",
     .property = "batch_invariant",
     .reason = "schedule",
     .problem = "shape=1x1x4x33x2",
     .kernel = [] { return tile_chooser("tile_follows_batch", tile_follows_batch, tile_follows_batch); },
     .twin = tile_chooser_twin},
    {.name = "tile_follows_heads",
     .summary =
         "takes smaller tiles of keys for three kv heads and more, and declares that rows do not follow their number",
     .property = "heads_invariant",
     .reason = "schedule",
     .problem = "shape=1x1x4x33x2",
     .kernel = [] { return tile_chooser("tile_follows_heads", tile_follows_heads, tile_follows_heads); },
     .twin = tile_chooser_twin},
    {.name = "tile_follows_mates",
     .summary = "takes smaller tiles of keys if some sequence has ten queries or more, and declares that rows do not "
                "follow the batch",
     .source = "vllm-project/vllm #51902",
     .property = "batch_invariant",
     .reason = "schedule",
     .problem = "shape=1x1x4x33x2",
     .kernel = [] { return tile_chooser("tile_follows_mates", tile_follows_mates, tile_follows_mates); },
     .twin = tile_chooser_twin},
    {.name = "tile_follows_padding",
     .summary = "takes smaller tiles of keys where there are lengths, and declares that rows do not follow the padding",
     .property = "padding_invariant",
     .reason = "schedule",
     .problem = "shape=1x1x4x33x2",
     .kernel = [] { return tile_chooser("tile_follows_padding", tile_follows_padding, tile_follows_padding); },
     .twin = tile_chooser_twin},
    {.name = "tile_follows_queries",
     .summary = "takes smaller tiles of keys for fewer than four queries, and declares that rows do not follow the "
                "chunks of a prefill",
     .source = "flashinfer-ai/flashinfer #2424",
     .property = "chunks_invariant",
     .reason = "schedule",
     .problem = "shape=1x1x4x33x2",
     .kernel = [] { return tile_chooser("tile_follows_queries", tile_follows_queries, tile_follows_queries); },
     .twin = tile_chooser_twin},
    {.name = "gradient_tile_follows_batch",
     .summary = "adds up dQ over smaller tiles of keys for three sequences and more, and declares that rows do not "
                "follow the batch",
     .property = "batch_invariant",
     .reason = "schedule",
     .problem = "shape=1x1x4x33x2 pass=forward+backward",
     .kernel = [] { return tile_chooser("gradient_tile_follows_batch", usual, gradient_tile_follows_batch); },
     .twin = tile_chooser_twin},
    {.name = "parts_follow_keys",
     .summary =
         "splits the keys of the call into four parts, and declares that rows do not follow the keys behind the mask",
     .source = "Dao-AILab/flash-attention #2604",
     .property = "hidden_keys_invariant",
     .reason = "schedule",
     .problem = "shape=1x1x1x16x1 mask=causal",
     .kernel = [] { return declaring(split_mutant<PartsFollowKeys>("parts_follow_keys"), Invariance::hidden_keys); },
     .twin = [] { return declaring(split_twin(), Invariance::hidden_keys); }},
};

}  // namespace
}  // namespace attestone::inline mutants
