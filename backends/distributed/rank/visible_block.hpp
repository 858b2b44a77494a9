// SPDX-License-Identifier: Apache-2.0
// The visible block of some rows of queries and some rows of keys: the part of their pairs that is worth computing.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "backends/cpu/parts/interval.hpp"
#include "backends/distributed/sharding/shard.hpp"
#include "backends/kernel.hpp"

namespace attestone::inline backends {

/// How the pairs of a block are seen, in words that a kernel knows.
enum class Seen {
  whole,  ///< all rows of the sequence are here: as the problem says
  all,
  causal,  ///< the last query stands at the last key
  some,    ///< as bytes say
};

/// One sequence's part of a block: its queries and keys, numbered among those that are held, without the first and last
/// ones that see nothing or are seen by nobody. Nothing is left where no query sees any key.
struct SequenceBlock {
  index sequence = 0;
  Interval queries, keys;
  Seen seen = Seen::all;
  std::vector<std::uint8_t> bytes;  ///< [heads][queries][keys], where some are seen, or the whole's mask comes as
                                    ///< bytes; heads: 1 if all see the same
  bool all_keys = false;            ///< that the queries see anywhere are here: sinks count

  bool empty() const { return queries.count() == 0; }
};

/// Queries of the blocks, all together.
index query_rows(std::span<const SequenceBlock>);

/// The blocks of all sequences of which something is left. Zigzag and striped sharding need no rules of their own:
/// what their papers leave out is what nobody sees.
std::vector<SequenceBlock> visible_blocks(const Problem& whole, const KernelInputs&, const HeldRows& queries,
                                          const HeldRows& keys);
/// The blocks with all queries held, even those that see nothing. `all_keys`: all keys of the sequences are
/// here.
std::vector<SequenceBlock> blocks_of_all_queries(const Problem& whole, const KernelInputs&, const HeldRows& queries,
                                                 const HeldRows& keys, bool all_keys);
/// All queries that are held, where it does not matter of which keys.
std::vector<SequenceBlock> every_row(const HeldRows& queries);
/// Sequences of which all queries and all keys are held, uncut.
std::vector<SequenceBlock> whole_blocks(const Problem& whole, const KernelInputs&, const HeldRows& queries,
                                        const HeldRows& keys);

}  // namespace attestone::inline backends
