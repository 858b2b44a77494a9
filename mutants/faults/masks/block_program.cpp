// SPDX-License-Identifier: Apache-2.0
// Blocks of queries that see no key, or that see the keys of an earlier call.
#include "mutants/hosts/staged_blocks/block_program.hpp"

#include <array>
#include <map>
#include <mutex>
#include <tuple>
#include <utility>

#include "mutants/hosts/staged_blocks/right.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::staged_blocks::block_program {
namespace {

/// Shows where no query of a block of 32 sees a key.
struct FullyMaskedQueryBlockIsNeverStored : Policy {
  static bool skips_block(bool nothing_visible) { return nothing_visible; }
};

/// Shows from the second call of a process on, with the same extents and other lengths.
struct LengthsCachedByExtents : Policy {
  static Sequence sequence(const Call& c, Int b) {
    static std::mutex lock;
    static std::map<std::array<Int, 4>, std::pair<Int, Int>> known;
    Sequence s = c.sequence(b);
    if (c.ragged()) return s;
    const std::lock_guard<std::mutex> hold(lock);
    const std::array<Int, 4> key{b, c.a.batch, c.a.queries, c.a.keys};
    std::tie(s.queries, s.keys) = known.try_emplace(key, s.queries, s.keys).first->second;
    s.shift = s.keys - s.queries;
    return s;
  }
};

const Registrations<Mutant> registered{
    {.name = "fully_masked_query_block_is_never_stored",
     .summary =
         "a block of queries that sees no key is dropped before the epilogue, and its rows keep what lay in the memory",
     .source = "ROCm/aiter PR #5556",
     .property = "value_bound",
     .reason = "wrong-non-finite",
     .problem = "shape=1x1x40x4x8 mask=causal",
     .batch = "fifth",
     .kernel = [] { return kernel<FullyMaskedQueryBlockIsNeverStored>("fully_masked_query_block_is_never_stored"); },
     .twin = right_block_program},
    {.name = "lengths_cached_by_extents",
     .summary =
         "the lengths of a padded batch are kept for later calls of the same batch, queries and keys, whatever theirs",
     .source = "NVIDIA/TensorRT-LLM PR #13696, NVIDIA/TensorRT-LLM PR #14374, flashinfer-ai/flashinfer PR #4365",
     .property = "batch_order_irrelevant",
     .reason = "batch-order",
     .problem = "shape=2x2x8x44x8 lengths=44+21",
     .batch = "fifth",
     .kernel = [] { return kernel<LengthsCachedByExtents>("lengths_cached_by_extents"); },
     .twin = right_block_program},
};

}  // namespace
}  // namespace attestone::inline mutants::staged_blocks::block_program
