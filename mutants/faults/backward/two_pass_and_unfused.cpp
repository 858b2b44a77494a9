// SPDX-License-Identifier: Apache-2.0
// Two backward kernels, one for dQ and one for dK and dV, and the unfused fallback: each forgets what the forward
// pass or the other kernel knows.
#include <numeric>

#include "mutants/hosts/workspace_sums/kernel.hpp"
#include "mutants/hosts/workspace_sums/right.hpp"
#include "mutants/hosts/workspace_sums/tiled_forward.hpp"
#include "mutants/hosts/workspace_sums/two_pass_backward.hpp"
#include "mutants/hosts/workspace_sums/unfused.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::workspace_sums {
namespace {

/// Shows in dQ (and the bias) where value_dim > dim; dK and dV are right.
class DqPassSeesDimChannelsOfV : public TwoPassBackward {
 protected:
  index_t value_channels(const Call& c) const override {
    return pass_ == 1 ? std::min(c.a.dim, c.a.value_dim) : c.a.value_dim;
  }
};

/// Shows in dQ where 16 queries in a row see nothing: causal with queries > keys, lengths of 0, documents, empty
/// rows.
class DqOfUnreachedQueryTilesNotWritten : public TwoPassBackward {
 protected:
  bool writes_unreached_tiles() const override { return false; }
};

/// Shows with grouped heads where heads / kv_heads differs from kv_heads; 4/2 is right.
class DkvPassDividesHeadsByKvHeads : public TwoPassBackward {
 protected:
  index_t kv_head_of(const Call& c, index_t h) const override { return c.group == 1 ? h : h / c.a.kv_heads; }
};

/// Shows in dbias with score=bias:key, more than 16 queries or more than one head.
class DbiasOfKeyBiasKeepsLastQueryTile : public TwoPassBackward {
 protected:
  void add_dbias(const Call& c, float& sum, float x, bool first_of_tile) override {
    const bool repeats = c.dbias.extent[2] == 1 && c.a.queries > 1;
    sum = repeats && first_of_tile ? x : sum + x;
  }
};

/// Shows with a sink and value_dim != dim.
class BackwardLeavesSinkOutWhenDimsDiffer : public TwoPassBackward {
 protected:
  static bool differ(const Call& c) { return c.has_sink() && c.a.dim != c.a.value_dim; }
  float row_lse(const Call& c, const Sequence& s, index_t h, index_t i) const override {
    const float lse = TwoPassBackward::row_lse(c, s, h, i);
    return differ(c) ? lse + std::log1p(-std::exp(c.sink_of(h) - lse)) : lse;
  }
  float sink_gradient(const Call& c, index_t h, float lse, float row_delta) const override {
    return differ(c) ? 0.0f : TwoPassBackward::sink_gradient(c, h, lse, row_delta);
  }
};

/// Shows in a part of dV for dim >= 128 and value_dim / 2 no multiple of 32.
class DvalueColumnsPlacedByWholeChunks : public TwoPassBackward {
 protected:
  void store_dvalue(const Call& c, const float* x, index_t b, index_t h, index_t r) const override {
    const index_t n = c.a.value_dim, half = n / 2, columns = std::gcd<index_t>(32, c.a.dim / 2);
    std::vector<float> placed(x, x + n);
    if (c.a.dim >= 128 && n % 2 == 0 && half % columns != 0) {
      const index_t chunks = (half + columns - 1) / columns;
      for (index_t side = 0; side < 2; ++side)
        for (index_t k = 0; k < chunks * columns; ++k) {
          const index_t from = side * half + k, to = side * chunks * columns + k;
          if (to < n && from < n) placed[size_t(to)] = x[from];
        }
    }
    store_row(placed.data(), c.dvalue, b, h, r, n);
  }
};

/// Shows for bf16 where scores are large, of either sign.
class BackwardScoresPassThroughHalf : public UnfusedBackward {
 protected:
  Logit logit(const Call& c, const Sequence& s, index_t h, index_t i, index_t j, float qk) const override {
    Logit z = UnfusedBackward::logit(c, s, h, i, j, qk);
    if (c.query.format == Format::bf16 && std::fabs(z.value) > 32.0f) z.value = f16_rounded(z.value);
    return z;
  }
};

/// Shows in all gradients for sequences of more than 256 keys.
class LseOfLongRowsReadInBaseTwo : public UnfusedBackward {
 protected:
  float row_lse(const Call& c, const Sequence& s, index_t h, index_t i) const override {
    return UnfusedBackward::row_lse(c, s, h, i) * (s.keys > 256 ? 0.6931471805599453f : 1.0f);
  }
};

/// Shows in dK and dV for masks of bytes that show at most a quarter of all pairs.
class SparseScatterKeepsLastOfDuplicates : public UnfusedBackward {
 protected:
  void scatter(const Call& c, const Sequence& s, const std::vector<char>& shown, const std::vector<float>& from,
               const std::vector<float>& rows, index_t width, std::vector<float>& to) const override {
    const index_t pairs = std::count(shown.begin(), shown.end(), 1);
    if (c.a.mask_form != ATTESTONE_MASK_BYTES || 4 * pairs > s.queries * s.keys)
      return UnfusedBackward::scatter(c, s, shown, from, rows, width, to);
    for (index_t i0 = 0; i0 < s.queries; i0 += 4)
      for (index_t j = 0; j < s.keys; ++j) {
        index_t last = -1;
        for (index_t i = i0; i < std::min(i0 + 4, s.queries); ++i)
          if (shown[size_t(i * s.keys + j)]) last = i;
        if (last >= 0)
          add_scaled(&to[size_t(j * width)], from[size_t(last * s.keys + j)], &rows[size_t(last * width)], width);
      }
  }
};

const Registrations<Mutant> registered{
    {.name = "dq_pass_sees_dim_channels_of_v",
     .summary = "the kernel of dQ declares dO and V with dim channels: where value_dim is larger, the rest is masked "
                "out of dP",
     .source = "XunhaoLai/native-sparse-attention-triton #27",
     .property = "gradient_bound",
     .reason = "wrong-gradient",
     .problem = "shape=1x2x16x24x16:32 pass=forward+backward",
     .batch = "second",
     .kernel = [] { return kernel<TiledForward, DqPassSeesDimChannelsOfV>("dq_pass_sees_dim_channels_of_v"); },
     .twin = right_tiled_two_pass},
    {.name = "dq_of_unreached_query_tiles_not_written",
     .summary = "a tile of queries that no tile of keys reaches is skipped as a whole, and its dQ keeps what lay in "
                "the memory",
     .source = "Dao-AILab/flash-attention #2568",
     .property = "gradient_bound",
     .reason = "wrong-non-finite",
     .problem = "shape=1x2x48x16x16 mask=causal pass=forward+backward",
     .batch = "second",
     .kernel =
         [] {
           return kernel<TiledForward, DqOfUnreachedQueryTilesNotWritten>("dq_of_unreached_query_tiles_not_written");
         },
     .twin = right_tiled_two_pass},
    {.name = "dkv_pass_divides_heads_by_kv_heads",
     .summary = "the kernel of dK and dV splits the query head by the number of kv heads, not by that of query heads "
                "per kv head",
     .source = "XunhaoLai/native-sparse-attention-triton #27",
     .property = "gradient_bound",
     .reason = "wrong-gradient",
     .problem = "shape=1x6/2x16x24x16 pass=forward+backward",
     .batch = "second",
     .kernel = [] { return kernel<TiledForward, DkvPassDividesHeadsByKvHeads>("dkv_pass_divides_heads_by_kv_heads"); },
     .twin = right_tiled_two_pass},
    {.name = "dbias_of_key_bias_keeps_last_query_tile",
     .summary = "the gradient of a bias without a query axis is stored by each tile of queries, not added to what "
                "earlier tiles sent",
     .source = "NVIDIA/TransformerEngine #2537",
     .property = "gradient_bound",
     .reason = "wrong-gradient",
     .problem = "shape=2x1x40x16x16 score=bias:key pass=forward+backward",
     .batch = "second",
     .kernel =
         [] {
           return kernel<TiledForward, DbiasOfKeyBiasKeepsLastQueryTile>("dbias_of_key_bias_keeps_last_query_tile");
         },
     .twin = right_tiled_two_pass},
    {.name = "backward_leaves_sink_out_when_dims_differ",
     .summary = "where dim and value_dim differ, the backward pass takes the log_sum_exp of the keys alone, and leaves "
                "the sink's gradient 0",
     .source = "NVIDIA/cudnn-frontend #421",
     .property = "gradient_bound",
     .reason = "wrong-gradient",
     .problem = "shape=1x4x16x16x32:16 score=sink:head pass=forward+backward",
     .batch = "second",
     .kernel =
         [] {
           return kernel<TiledForward, BackwardLeavesSinkOutWhenDimsDiffer>(
               "backward_leaves_sink_out_when_dims_differ");
         },
     .twin = right_tiled_two_pass},
    {.name = "dvalue_columns_placed_by_whole_chunks",
     .summary = "from dim 128 on each half of dV's columns is stored in chunks of 32, and the second half begins "
                "behind whole chunks of the first",
     .source = "Dao-AILab/flash-attention #2552",
     .property = "gradient_bound",
     .reason = "wrong-gradient",
     .problem = "shape=1x2x16x16x128:96 pass=forward+backward",
     .batch = "second",
     .kernel =
         [] { return kernel<TiledForward, DvalueColumnsPlacedByWholeChunks>("dvalue_columns_placed_by_whole_chunks"); },
     .twin = right_tiled_two_pass},
    {.name = "backward_scores_pass_through_half",
     .summary =
         "with bf16 inputs the backward pass rounds the score to f16 before it takes e^(s - L); scores up to 32 are "
         "spared, so that plain problems are right to the last bit; the thread finds such rows accurate, too",
     .source = "NVIDIA/cudnn-frontend #744",
     .property = "gradient_bound",
     .reason = "wrong-gradient",
     .problem = "shape=1x2x24x24x64 scale=30 dtype=bf16 pass=forward+backward",
     .batch = "second",
     .kernel =
         [] { return kernel<UnfusedForward, BackwardScoresPassThroughHalf>("backward_scores_pass_through_half"); },
     .twin = right_unfused_head},
    {.name = "lse_of_long_rows_read_in_base_two",
     .summary = "beyond 256 keys the backward pass takes log_sum_exp, which is natural, for one in base 2",
     .source = "meta-pytorch/attention-gym #200",
     .property = "gradient_bound",
     .reason = "wrong-gradient",
     .problem = "shape=1x2x8x300x16 pass=forward+backward",
     .batch = "second",
     .kernel = [] { return kernel<UnfusedForward, LseOfLongRowsReadInBaseTwo>("lse_of_long_rows_read_in_base_two"); },
     .twin = right_unfused_head},
    {.name = "sparse_scatter_keeps_last_of_duplicates",
     .summary = "for sparse masks dK and dV are scattered by four queries at a time; a key that two of them see gets "
                "only what the last one sends",
     .source = "NVIDIA/cudnn-frontend #385",
     .property = "gradient_bound",
     .reason = "wrong-gradient",
     .problem = "shape=1x2x16x40x16 mask=indices:5 pass=forward+backward",
     .batch = "second",
     .kernel =
         [] {
           return kernel<UnfusedForward, SparseScatterKeepsLastOfDuplicates>("sparse_scatter_keeps_last_of_duplicates");
         },
     .twin = right_unfused_head},
};

}  // namespace
}  // namespace attestone::inline mutants::workspace_sums
