// SPDX-License-Identifier: Apache-2.0
// The backward pass of all query heads that read one kv head, cut into pieces of work that any threads may take.
#pragma once

#include <vector>

#include "reference/bias.hpp"
#include "reference/certified/gradient_states.hpp"
#include "reference/certified/gradient_truth.hpp"

namespace attestone {

/// Values and bounds of all elements of a tensor of gradients that several kv heads add up.
struct BoundedTensor {
  explicit BoundedTensor(const Extents& of)
      : extents(of), value(static_cast<std::size_t>(element_count(of))), bound(value.size()), special(value.size()) {}
  /// Where an element of [batch, heads, queries, keys] goes: axes of extent 1 are summed up.
  std::size_t place(const Pair&) const;
  /// Adds a number and its bound, and what the addition rounds.
  void add(std::size_t place, double term, double term_bound);

  Extents extents;
  std::vector<double> value, bound;
  std::vector<char> special;  ///< a Special
};

/// What NaN or infinities among the inputs do to an element.
enum class Special : char {
  none,
  unbounded,  ///< orders of IEEE evaluation differ, or nobody has looked
  nan,        ///< every order of IEEE evaluation gives NaN
};

/// An element after the strongest of what has been marked.
void mark(Certified&, Special);

/// The memory in which one thread works.
struct GradientWorkspace {
  explicit GradientWorkspace(const Shape&);
  AlignedDoubles query, dout;                                     ///< [dim][16], [value_dim][16]
  AlignedDoubles query_value, query_bound;                        ///< [dim][16]
  AlignedDoubles key_value, key_bound, value_value, value_bound;  ///< [64][stride]
  std::array<double, keys_per_word> biases;
  GradientBlock block;
};

/// Rows are those of the first query head of the group, then of the second, ... Four kinds of pieces, each complete
/// before the next begins: decode, sum, and then differentiate_queries and differentiate_keys. Whoever takes a piece
/// owns what it writes, so the answers do not depend on who takes which.
class GradientPass {
 public:
  /// `rows`: the query rows that take part, of every head.
  GradientPass(const Problem&, const Inputs&, index batch, index kv_head, const Visibility&,
               std::span<const index> rows, GradientTruth&);

  index words() const { return visibility_.words_per_row(); }
  index tiles() const { return (rows_ + rows_per_tile - 1) / rows_per_tile; }
  index row_words() const { return query_.rows / keys_per_word; }
  void decode_keys(index word);
  void decode_rows(index row_word);
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
  struct Place {
    index head, row, query;  ///< row counts `rows`
  };
  struct BiasContext;

  Place place(index row) const;
  std::span<const std::uint64_t> visible(index row) const;
  std::span<const std::uint64_t> kept(index row) const;
  std::optional<double> sink(index head) const;
  RowReach reach(index row) const;
  bool sees_special(index row) const;
  static void fill_biases(const void* context, index first_key, index keys, double* biases);
  GradientTask task(index tile, const BiasContext&, GradientWorkspace&) const;
  void add_bias_gradients(index tile, index word, const GradientBlock&, BoundedTensor&) const;
  void store_keys(index word, std::uint64_t live, std::uint64_t weighed, const GradientWorkspace&);
  Certified finished(double sum, double bound, double factor, double terms) const;
  struct RowSpecials;
  RowSpecials specials(index row) const;
  void mark_values(index row, const RowSpecials&);

  const Problem& problem_;
  const Inputs& inputs_;
  index batch_, kv_head_, first_query_head_;
  const Visibility& visibility_;
  std::span<const index> all_queries_;
  GradientTruth& truth_;
  index rows_;
  DecodedRows key_, value_, query_, dout_;
  Bias biases_;
  Dropout dropout_;
  std::optional<GradientStates> certificates_;
  std::vector<RowStates> states_;       ///< of each tile
  std::vector<std::uint64_t> kept_;     ///< [rows][words], under dropout
  std::vector<std::uint64_t> nothing_;  ///< what a lane without a row sees
  std::vector<char> excluded_;          ///< [rows]: sees NaN or an infinity
};

}  // namespace attestone
