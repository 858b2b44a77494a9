// SPDX-License-Identifier: Apache-2.0
// Products of bf16 in pairs: K is read where it lies, V is laid in pairs once a tile, Q and P are rounded and paired.
#include <algorithm>

#include "backends/cpu/attend/attend.hpp"
#include "backends/cpu/parts/interval.hpp"
#include "backends/cpu/simd/bfloat16_pairs.hpp"
#include "backends/cpu/simd/bfloat16_products.hpp"
#include "backends/cpu/simd/masked_rows.hpp"
#include "backends/cpu/simd/softmax.hpp"
#include "backends/cpu/simd/transpose.hpp"
#include "reference/require.hpp"
#include "reference/tensor/tensor.hpp"

namespace attestone::inline backends {
namespace {

/// Rows of one tensor of bf16 as they are stored, whatever its strides.
class StoredBfloat16Rows {
 public:
  explicit StoredBfloat16Rows(const ConstView&);

  /// Whole rows of `width` codes: where they lie, if they have as many and equal distances; else copied into `buffer`
  /// [rows][width], and filled up with zeros.
  Bfloat16Rows read(index batch, index head, Interval rows, index width, std::uint16_t* buffer) const;

 private:
  ConstView view_;
};

class PairTileProducts final : public TileProducts {
 public:
  PairTileProducts(const Problem& problem, const KernelInputs& inputs, PairProducts how)
      : how_(how),
        dim_(problem.shape.dim),
        value_dim_(problem.shape.value_dim),
        query_(inputs.query),
        key_(inputs.key),
        value_(inputs.value) {}

  void load_queries(const AttendedHead& head, Interval queries, index number, AttendScratch& scratch) const override {
    const FloatMatrixRows rows = query_.read(head.batch, head.head, queries, scratch.rows.data());
    rows_to_panel(rows, queries.count(), dim_, scratch.QT.data());
    panel_to_pairs(scratch.QT.data(), dim_, query_pairs(scratch, number));
  }

  void load_keys(const AttendedHead& head, Interval keys, AttendScratch& scratch) const override {
    PairedScratch& pairs = scratch.pairs;
    const Bfloat16Rows V = value_.read(head.batch, head.kv_head, keys, value_dim_, pairs.rows.data());
    if (how_ == PairProducts::tiles)
      transpose_codes(V, keys.count(), value_dim_, pairs.V.data(), pairs.row_step);
    else
      shuffle_codes(V, keys.count(), value_dim_, pairs.V.data());
    scratch.passing.codes = key_.read(head.batch, head.kv_head, keys, padded_products(dim_), pairs.rows.data());
    pairs.all_finite.reset();
  }

  void score(index panel, Interval keys, float factor, float* largest, AttendScratch& scratch) const override {
    for (const ComingRows* coming : {&scratch.coming.beside_scores, &scratch.coming.beside_weights})
      SharedFetch(*coming, 1).fetch_share();
    const Bfloat16Rows K = scratch.passing.codes.from(keys.first - scratch.passing.keys.first);
    score_pairs(how_, K, keys.count(), query_pairs(scratch, panel), padded_products(dim_), factor, scratch.S.data(),
                largest);
  }

  void add_weighted(Interval keys, const SeenPairs* seen, const float* shrink, float* OT,
                    AttendScratch& scratch) const override {
    shrink_columns(shrink, value_dim_, OT);
    const Products at = pair_weights(keys, scratch);
    const bool all_seen = !seen && at.count == keys.count();
    const std::uint16_t* V =
        all_seen ? scratch.pairs.V.data() : finite_where_hidden(at, keys.count(), seen, OT, scratch);
    add_pair_products(how_, scratch.pairs.values(V, at.first), value_dim_, scratch.pairs.weights.data(), at.count, OT);
  }

 private:
  /// Which of the keys that pass V^T P multiplies: how many, from which one on, and how many of them stand before those
  /// that are asked.
  struct Products {
    index first, before, count;
  };

  std::uint32_t* query_pairs(AttendScratch& scratch, index panel) const {
    return scratch.pairs.queries.data() + panel * padded_products(dim_) / 2 * panel_queries;
  }

  /// P in pairs of keys, as V is: where the first key is the second one of a pair, a weight of 0 stands before it.
  Products pair_weights(Interval keys, AttendScratch& scratch) const {
    const index first = keys.first - scratch.passing.keys.first, count = keys.count();
    const float* P = scratch.S.data();
    std::uint32_t* weights = scratch.pairs.weights.data();
    if (how_ == PairProducts::tiles || first % 2 == 0) {
      panel_to_pairs(P, count, weights);
      return {first, 0, padded_products(count)};
    }
    alignas(allocation_alignment) float two[2 * panel_queries] = {};
    std::copy_n(P, panel_queries, two + panel_queries);
    panel_to_pairs(two, 2, weights);
    panel_to_pairs(P + panel_queries, count - 1, weights + panel_queries);
    return {first - 1, 1, 2 + padded_products(count - 1)};
  }

  /// V, in which what is not finite and hidden from any query is 0: it has joined the sums of those that see it. So
  /// have the keys around those that are asked, which the products reach: nobody sees them.
  const std::uint16_t* finite_where_hidden(const Products& at, index count, const SeenPairs* seen, float* OT,
                                           AttendScratch& scratch) const {
    PairedScratch& pairs = scratch.pairs;
    const std::span<std::uint16_t> V = pairs.V.span(), cleared = pairs.cleared.span();
    if (!pairs.all_finite) pairs.all_finite = largest_magnitude(V.data(), std::ssize(V)) < infinite_code;
    if (*pairs.all_finite) return V.data();
    std::ranges::copy(V, cleared.begin());
    for (index product = 0; product < at.count; ++product) {
      const index key = product - at.before;
      const bool is_asked = key >= 0 && key < count;
      if (is_asked && !(seen && seen->hides(key))) continue;
      bool finite = true;
      for (index c = 0; c < value_dim_; ++c)
        if (std::uint16_t& code = cleared[pairs.place(c, at.first + product)]; (code & magnitude_bits) >= infinite_code)
          code = 0, finite = false;
      if (is_asked && !finite) add_seen(seen->of_key[key], at.first + product, product, OT, scratch);
    }
    return cleared.data();
  }

  /// Adds the channels of one value that are not finite to the sums of the queries that see it.
  void add_seen(QuerySet seen, index key, index product, float* OT, AttendScratch& scratch) const {
    PairedScratch& pairs = scratch.pairs;
    float weights[panel_queries];
    for (index i = 0; i < panel_queries; ++i) {
      const std::uint32_t pair = pairs.weights[product / 2 * panel_queries + i];
      weights[i] = decode_bf16(static_cast<std::uint16_t>(product % 2 == 0 ? pair : pair >> 16));
    }
    for (index c = 0; c < value_dim_; ++c) scratch.rows[c] = decode_bf16(pairs.V[pairs.place(c, key)]);
    add_non_finite(seen, scratch.rows.data(), weights, value_dim_, OT);
  }

  PairProducts how_;
  index dim_, value_dim_;
  FloatRows query_;
  StoredBfloat16Rows key_, value_;
};

}  // namespace

StoredBfloat16Rows::StoredBfloat16Rows(const ConstView& view) : view_(view) {
  require(view.dtype().name == "bf16", "products of bf16 are products of bf16");
}

Bfloat16Rows StoredBfloat16Rows::read(index batch, index head, Interval rows, index width,
                                      std::uint16_t* buffer) const {
  const index channels = view_.extents()[3], step = view_.strides()[3];
  const auto codes = [&](index row) { return reinterpret_cast<const std::uint16_t*>(view_.at(batch, head, row, 0)); };
  const bool as_they_lie = channels == width && step == 1 && !view_.row_map().pages();
  if (as_they_lie && rows.count() > 0) return {codes(rows.first), view_.strides()[2]};
  std::uint16_t* to = buffer;
  for (index row = rows.first; row <= rows.last; ++row, to += width) {
    const std::uint16_t* from = codes(row);
    if (step == 1)
      std::copy_n(from, channels, to);
    else
      for (index c = 0; c < channels; ++c) to[c] = from[c * step];
    std::fill(to + channels, to + width, std::uint16_t{0});
  }
  return {buffer, width};
}

PairedScratch::PairedScratch(Device& device, const AttendExtents& e)
    : row_step(e.pairs == PairProducts::tiles ? reached_keys(e) : 2),
      pair_step(e.pairs == PairProducts::tiles ? 2 : 2 * e.value_dim),
      queries(device, e.pairs ? panels_of(e.queries) * padded_products(e.dim) / 2 * panel_queries : 0, "query pairs"),
      weights(device, e.pairs ? (padded_products(e.keys) / 2 + 1) * panel_queries : 0, "weight pairs"),
      rows(device, e.pairs ? e.keys * std::max(padded_products(e.dim), e.value_dim) : 0, "stored rows"),
      V(device, e.value_dim * reached_keys(e), "values"),
      cleared(device, e.value_dim * reached_keys(e), "finite values") {
  std::ranges::fill(V.span(), std::uint16_t{0});
}

index PairedScratch::bytes(const AttendExtents& e) {
  if (!e.pairs) return 0;
  const index pairs = panels_of(e.queries) * padded_products(e.dim) + padded_products(e.keys) + 2;
  const index codes = e.keys * std::max(padded_products(e.dim), e.value_dim) + 2 * e.value_dim * reached_keys(e);
  return 2 * (pairs * panel_queries + codes);
}

/// Products that begin at any key, and of which the last are filled up.
index PairedScratch::reached_keys(const AttendExtents& e) {
  return e.pairs ? padded_products(e.keys) + products_together : 0;
}

std::unique_ptr<const TileProducts> pair_products(const Problem& problem, const KernelInputs& inputs,
                                                  PairProducts how) {
  return std::make_unique<PairTileProducts>(problem, inputs, how);
}

}  // namespace attestone::inline backends
