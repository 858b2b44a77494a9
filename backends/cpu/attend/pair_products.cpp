// SPDX-License-Identifier: Apache-2.0
// Products of bf16 in pairs: K is read where it lies, V is transposed once a tile, Q and P are rounded and paired.
#include <algorithm>

#include "backends/cpu/attend/attend.hpp"
#include "backends/cpu/parts/bfloat16_rows.hpp"
#include "backends/cpu/simd/bfloat16_pairs.hpp"
#include "backends/cpu/simd/masked_rows.hpp"
#include "backends/cpu/simd/softmax.hpp"
#include "backends/cpu/simd/transpose.hpp"

namespace attestone {
namespace {

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
    transpose_codes(V, keys.count(), value_dim_, pairs.VT.data(), pairs.stride);
    scratch.passing.codes = key_.read(head.batch, head.kv_head, keys, padded_products(dim_), pairs.rows.data());
    pairs.knows_magnitudes = false;
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
    PairedScratch& pairs = scratch.pairs;
    const index offset = keys.first - scratch.passing.keys.first, products = padded_products(keys.count());
    panel_to_pairs(scratch.S.data(), keys.count(), pairs.weights.data());
    const bool all_seen = !seen && products == keys.count();
    const std::uint16_t* VT = all_seen ? pairs.VT.data() : finite_where_hidden(offset, keys.count(), seen, OT, scratch);
    add_pair_products(how_, {VT + offset, pairs.stride}, value_dim_, pairs.weights.data(), products, OT);
  }

 private:
  std::uint32_t* query_pairs(AttendScratch& scratch, index panel) const {
    return scratch.pairs.queries.data() + panel * padded_products(dim_) / 2 * panel_queries;
  }

  /// V^T, in which what is not finite and hidden from any query is 0: it has joined the sums of those that see it. So
  /// have the keys behind `count`, which the last products reach: nobody sees them.
  const std::uint16_t* finite_where_hidden(index offset, index count, const SeenPairs* seen, float* OT,
                                           AttendScratch& scratch) const {
    PairedScratch& pairs = scratch.pairs;
    if (!std::exchange(pairs.knows_magnitudes, true))
      largest_magnitudes(pairs.VT.data(), value_dim_, pairs.stride, pairs.magnitudes.data());
    const std::uint16_t* VT = pairs.VT.data();
    for (index key = 0; key < padded_products(count); ++key) {
      const bool hides = key >= count || (seen && seen->hides(key));
      if (!hides || pairs.magnitudes[offset + key] < infinite_code) continue;
      if (VT == pairs.VT.data()) std::ranges::copy(pairs.VT.span(), pairs.cleared.data());
      VT = pairs.cleared.data();
      if (key < count) add_seen(seen->of_key[key], offset + key, key, OT, scratch);
      for (index c = 0; c < value_dim_; ++c) {
        std::uint16_t& code = pairs.cleared[c * pairs.stride + offset + key];
        if ((code & magnitude_bits) >= infinite_code) code = 0;
      }
    }
    return VT;
  }

  /// What is not finite of one value joins the sums of those that see it.
  void add_seen(QuerySet seen, index column, index key, float* OT, AttendScratch& scratch) const {
    PairedScratch& pairs = scratch.pairs;
    float weights[panel_queries];
    for (index i = 0; i < panel_queries; ++i) {
      const std::uint32_t pair = pairs.weights[key / 2 * panel_queries + i];
      weights[i] = decode_bf16(static_cast<std::uint16_t>(key % 2 == 0 ? pair : pair >> 16));
    }
    for (index c = 0; c < value_dim_; ++c) scratch.rows[c] = decode_bf16(pairs.VT[c * pairs.stride + column]);
    add_non_finite(seen, scratch.rows.data(), weights, value_dim_, OT);
  }

  PairProducts how_;
  index dim_, value_dim_;
  FloatRows query_;
  StoredBfloat16Rows key_, value_;
};

}  // namespace

PairedScratch::PairedScratch(Device& device, const AttendExtents& e)
    : stride(column_stride(e)),
      queries(device, e.pairs ? panels_of(e.queries) * padded_products(e.dim) / 2 * panel_queries : 0, "query pairs"),
      weights(device, e.pairs ? padded_products(e.keys) / 2 * panel_queries : 0, "weight pairs"),
      rows(device, e.pairs ? e.keys * std::max(padded_products(e.dim), e.value_dim) : 0, "stored rows"),
      VT(device, e.value_dim * stride, "values"),
      cleared(device, e.value_dim * stride, "finite values"),
      magnitudes(device, stride, "largest values") {}

index PairedScratch::bytes(const AttendExtents& e) {
  if (!e.pairs) return 0;
  const index pairs = panels_of(e.queries) * padded_products(e.dim) + padded_products(e.keys);
  const index codes = e.keys * std::max(padded_products(e.dim), e.value_dim) + (2 * e.value_dim + 1) * column_stride(e);
  return 2 * (pairs * panel_queries + codes);
}

/// Products that begin at any key, and of which the last are filled up, stay inside a row.
index PairedScratch::column_stride(const AttendExtents& e) {
  return e.pairs ? padded_products(e.keys) + products_together : 0;
}

std::unique_ptr<const TileProducts> pair_products(const Problem& problem, const KernelInputs& inputs,
                                                  PairProducts how) {
  return std::make_unique<PairTileProducts>(problem, inputs, how);
}

}  // namespace attestone
