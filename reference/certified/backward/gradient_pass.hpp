// SPDX-License-Identifier: Apache-2.0
// The backward pass of all query heads that read one kv head, cut into pieces of work that any threads may take.
#pragma once

#include <atomic>
#include <optional>
#include <vector>

#include "reference/certified/backward/bounded_tensor.hpp"
#include "reference/certified/backward/gradient_products.hpp"
#include "reference/certified/backward/gradient_rows.hpp"

namespace attestone {

/// The memory in which one thread works on up to tiles_at_once tiles.
struct GradientWorkspace {
  explicit GradientWorkspace(const Shape&);
  /// The buffers of one tile.
  struct Tile {
    explicit Tile(const Shape&);
    GradientTaskMemory memory;
    AlignedDoubles query_value, query_bound;  ///< [dim][16]
    bool chosen = false;                      ///< whether dQ of any of its rows is asked for
  };
  std::vector<Tile> tiles;
  PairScratch pairs;
  FinishedElements finished;
};

/// Kinds of pieces, each complete before the next begins: decode_keys and decode_rows of GradientRows; for each panel
/// of tiles, differentiate for every piece of it and then add_to_keys for every word; store_keys for every word.
/// Whoever takes a piece owns what it writes, and adds up in one order, so the answers do not depend on who takes
/// which.
class GradientPass {
 public:
  /// `bias`: its gradient, if it is asked for.
  GradientPass(const Problem&, const Inputs&, index batch, index kv_head, const Visibility&,
               std::span<const index> queries, GradientTruth&, BoundedTensor* bias);

  GradientRows& rows() { return rows_; }
  /// By one thread.
  void conclude_decoding();
  index panels() const { return (rows_.tiles() + panel_.tiles() - 1) / panel_.tiles(); }
  index tiles_of(index panel) const { return std::min(panel_.tiles(), rows_.tiles() - panel * panel_.tiles()); }
  index pieces_of(index panel) const { return (tiles_of(panel) + tiles_per_piece_ - 1) / tiles_per_piece_; }
  void differentiate(index panel, index piece, GradientWorkspace&);
  void add_to_keys(index panel, index word);
  void store_keys(index word, GradientWorkspace&);
  /// By one thread.
  void add_sink_gradients(BoundedTensor& sinks) const;
  /// Marks the gradients that excluded rows reach; null: not asked for. Returns whether there are such rows.
  bool mark_specials(BoundedTensor* bias, BoundedTensor* sinks);
  /// Stored elements of dQ, dK and dV that are not decided; mark_specials may change some more.
  index undecided() const { return undecided_; }

 private:
  /// The keys of one word, as bits, which the tiles so far may give anything but 0.
  struct Reached {
    std::uint64_t key = 0, value = 0;
  };
  struct Sent;
  /// A tile, and the one that comes after it, which counts those of the panel.
  struct PanelTile {
    index panel, tile, next_in_panel;
  };

  index used_rows(index tile) const { return std::min(rows_per_tile, rows_.count() - tile * rows_per_tile); }
  bool is_live(index row) const;
  bool is_asked(index word) const;
  bool note_reached(index tile, index word, Reached&) const;
  GradientTask begin(index tile, GradientWorkspace::Tile&);
  void conclude(index tile, const GradientSums&, GradientTask&, const GradientTaskMemory&);
  void differentiate(const PanelTile&, index stretch, index next_stretch, const GradientTask&, GradientWorkspace&,
                     GradientWorkspace::Tile&);
  void store_queries(index tile, const GradientWorkspace::Tile&, FinishedElements&);
  void add_bias_gradients(index tile, index word, const PairBlock&);
  void send(index row, Sent&, BoundedTensor* bias, BoundedTensor* sinks);

  const Problem& problem_;
  const Inputs& inputs_;
  index kv_head_;
  GradientTruth& truth_;
  BoundedTensor* bias_;
  GradientRows rows_;
  GradientPanel panel_;
  index tiles_per_piece_;
  std::atomic<index> undecided_ = 0;
  std::optional<GradientStates> certificates_;
  std::vector<RowStates> states_;                                     ///< of each tile
  std::vector<Reached> reached_;                                      ///< of each word
  AlignedDoubles key_value_, key_bound_, value_value_, value_bound_;  ///< [keys][stride], where any are asked for
};

}  // namespace attestone
