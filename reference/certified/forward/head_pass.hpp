// SPDX-License-Identifier: Apache-2.0
// All chosen query rows that read one kv head, cut into pieces of work that any threads may take.
#pragma once

#include <vector>

#include "reference/certified/forward/double_certificate.hpp"
#include "reference/certified/forward/row_task.hpp"
#include "reference/certified/forward/tile_answers.hpp"
#include "reference/certified/forward/visibility.hpp"

namespace attestone {

/// The rows of one tile, and its sums.
struct TileRows {
  explicit TileRows(const Shape&);
  AlignedDoubles query_rows, query;  ///< [16][dim] and its transpose
  TileSums sums;
  std::vector<std::uint64_t> kept;  ///< [16][words], under dropout
  std::array<VectorFacts, rows_per_tile> facts;
  std::array<bool, rows_per_tile> special;  ///< of Q, the bias or the sink of the row
  alignas(64) double sinks[rows_per_tile];  ///< finite, or -infinity
};

/// The memory in which one thread works on up to `tiles` tiles.
struct TileWorkspace {
  TileWorkspace(const Shape&, index tiles);
  std::vector<TileRows> tiles;
  TileAnswers answers;
  std::array<double, keys_per_word> biases;
};

/// The rows of one (batch, kv head): those of the first query head of the group, then of the second, ...
///
/// Three kinds of pieces, each kind complete before the next begins: decode_word for every word; certify_tiles for
/// every piece of neighbouring tiles; finish for every group of rows that the tiles left open. The answers do not
/// depend on who takes which piece.
class HeadPass {
 public:
  HeadPass(const Problem&, const Inputs&, index batch, index kv_head, const Visibility&, Truth&);

  index words() const { return visibility_.words_per_row(); }
  void decode_word(index word) { head_.decode_word(word, visibility_.seen(kv_head_)[static_cast<std::size_t>(word)]); }
  /// After the last word, by one thread.
  void conclude_decoding() { head_.conclude(); }

  index tiles_per_piece() const { return tiles_per_piece_; }
  index pieces() const { return (std::ssize(open_) + tiles_per_piece_ - 1) / tiles_per_piece_; }
  void certify_tiles(index piece, TileWorkspace&);
  /// After the last tile, by one thread.
  void collect_open_rows();

  index groups() const;
  void finish(index group, bool escalate, Decisions&);

 private:
  /// A row with elements that double arithmetic left open.
  struct OpenRow {
    index row;
    OpenElements elements;
    bool special;  ///< sees NaN or an infinity, but for a bias of -infinity, which hides, and such a sink
  };
  struct Place {
    index head, row, query;  ///< row counts the chosen queries
  };
  struct BiasContext;

  index used_rows(index tile) const { return std::min(rows_per_tile, rows_ - tile * rows_per_tile); }
  Place place(index row) const;
  RowAnswer answer(const Place& at) const { return {&truth_, batch_, at.head, at.row}; }
  std::span<const std::uint64_t> visible(const Place& at) const { return visibility_.row(at.head, at.row); }
  /// The sink of a query head; nothing if it is -infinity.
  std::optional<double> sink(index head) const;
  static void fill_biases(const void* context, index first_key, index keys, double* biases);
  TileTask read_tile(index tile, const BiasContext&, TileRows&) const;
  void read_row(index row, index lane, TileTask&, TileRows&) const;
  void store_tile(index tile, const TileRows&, TileAnswers&);
  OpenElements certify_row(index row, index lane, bool any_open, const TileSums&, const TileAnswers&);
  void answer_empty_row(const RowAnswer&, std::optional<double> sink) const;
  bool sees_special(const Place&) const;

  const Problem& problem_;
  const Inputs& inputs_;
  index batch_, kv_head_;
  const Visibility& visibility_;
  Truth& truth_;
  DecodedHead head_;
  DoubleCertificates certificates_;
  RowReader query_reader_;
  Bias biases_;
  Dropout dropout_;
  index first_query_head_, rows_;
  std::vector<std::uint64_t> nothing_;      ///< what a lane without a row sees
  std::vector<std::vector<OpenRow>> open_;  ///< of each tile
  index tiles_per_piece_;
  std::vector<OpenRow> all_open_;
};

}  // namespace attestone
