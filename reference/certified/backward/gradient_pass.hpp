// SPDX-License-Identifier: Apache-2.0
// The backward pass of all query heads that read one kv head, cut into pieces of work that any threads may take.
#pragma once

#include <optional>
#include <vector>

#include "reference/certified/backward/bounded_tensor.hpp"
#include "reference/certified/backward/gradient_rows.hpp"

namespace attestone {

/// The memory in which one thread works.
struct GradientWorkspace {
  explicit GradientWorkspace(const Shape&);
  GradientTaskMemory task;
  GradientColumns block;
  AlignedDoubles query_value, query_bound;  ///< [dim][16]
  AlignedDoubles key_value, key_bound;      ///< [64][stride of dim]
  AlignedDoubles value_value, value_bound;  ///< [64][stride of value_dim]
  FinishedElements finished;
};

/// Four kinds of pieces, each complete before the next begins: decode_keys and decode_rows of GradientRows; sum; and
/// then differentiate_queries and differentiate_keys. Whoever takes a piece owns what it writes, and adds up in one
/// order, so the answers do not depend on who takes which.
class GradientPass {
 public:
  GradientPass(const Problem&, const Inputs&, index batch, index kv_head, const Visibility&,
               std::span<const index> queries, GradientTruth&);

  GradientRows& rows() { return rows_; }
  /// By one thread.
  void conclude_decoding();
  void sum(index tile, GradientWorkspace&);
  void differentiate_queries(index tile, GradientWorkspace&);
  /// And adds up the gradient of the bias, if any is asked for.
  void differentiate_keys(index word, GradientWorkspace&, BoundedTensor* bias);
  /// By one thread.
  void add_sink_gradients(BoundedTensor& sinks) const;
  /// What the excluded rows reach; null: not asked for.
  void mark_specials(BoundedTensor* bias, BoundedTensor* sinks);

 private:
  /// The keys of one word, as bits, which the tiles so far may give anything but 0.
  struct Reached {
    std::uint64_t key = 0, value = 0;
  };
  struct Sent;

  index used_rows(index tile) const { return std::min(rows_per_tile, rows_.count() - tile * rows_per_tile); }
  bool is_live(index row) const;
  bool note_reached(index tile, index word, Reached&) const;
  void store_query(index row, index row_of_truth, const GradientWorkspace&);
  void store_keys(index word, const Reached&, GradientWorkspace&);
  void add_bias_gradients(index tile, index word, const GradientColumns&, BoundedTensor&) const;
  void send(index row, Sent&, BoundedTensor* bias, BoundedTensor* sinks);

  const Problem& problem_;
  const Inputs& inputs_;
  index kv_head_;
  GradientTruth& truth_;
  GradientRows rows_;
  std::optional<GradientStates> certificates_;
  std::vector<RowStates> states_;  ///< of each tile
};

}  // namespace attestone
