// SPDX-License-Identifier: Apache-2.0
// The rows of all places in one buffer, each at its number in the whole.
#pragma once

#include "backends/distributed/buffer.hpp"
#include "backends/distributed/shard.hpp"

namespace attestone {

/// The rows of a place among all of a gathered buffer, and the same ones in a buffer of their own: run by run of
/// neighbours, and of every sequence at least one, which may be empty.
struct PlacedRows {
  std::vector<View> gathered, own;
};
PlacedRows placed_rows(const Shards&, index place, const Buffer& gathered, const Buffer& own);
/// The first half alone, where there is no buffer of their own.
std::vector<View> gathered_rows(const Shards&, index place, const Buffer& gathered);

}  // namespace attestone
