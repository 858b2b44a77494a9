// SPDX-License-Identifier: Apache-2.0
// One rank of a mesh, as its program sees it: peers, memory, the local attention, and what it holds.
#pragma once

#include "backends/distributed/rank/local_attention.hpp"
#include "backends/distributed/sharding/mesh.hpp"

namespace attestone::inline backends {

/// A rank's share in the gradients of inputs that all ranks have: sums of f64, [1, heads, 1, 1] and of the extents of
/// the bias tensor. They are summed over the ranks when the answers are put together, as gradients of parameters are.
struct SharedGradients {
  std::optional<View> dsink, dbias;
};

/// Everything of a rank that is not a tensor of its own.
struct Rank {
  Communicator& communicator;
  Device& device;  ///< of its buffers; what its kernel takes is counted apart
  LocalAttention attention;
  const Shards &queries, &keys;  ///< who holds which rows
  Group ring, ulysses;
  Group inner, outer;  ///< of a double ring, whose ranks `ring` has ring by ring
  HeadShards heads;    ///< who holds which heads inside a Ulysses group
  SharedGradients shared = {};

  HeldHeads held_heads() const { return heads.of(ulysses.place); }
};

/// Q, K and V of a rank. A program releases them after their last use.
struct RankInputs {
  Buffer query, key, value;
};
/// Own rows of O with all heads; log_sum_exp of the place's rows, with the heads that the rank holds.
struct RankAnswer {
  Buffer out, log_sum_exp;
};

/// The data with which the backward pass begins: the inputs, and the answer of the forward pass.
struct RankSaved {
  Buffer query, key, value, out, log_sum_exp, dout;
};
/// The gradients of the rank's own rows, with all heads.
struct RankGradients {
  Buffer dquery, dkey, dvalue;
};

}  // namespace attestone::inline backends
