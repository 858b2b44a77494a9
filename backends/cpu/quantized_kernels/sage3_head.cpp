// SPDX-License-Identifier: Apache-2.0
// SageAttention3's steps in the order in which they round: blackwell/mainloop_tma_ws.h and softmax_fused.h.
#include "backends/cpu/quantized_kernels/sage3_head.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "backends/cpu/parts/interval.hpp"
#include "backends/cpu/quantized_kernels/weight_formats.hpp"
#include "backends/cpu/simd/codes.hpp"

namespace attestone::inline backends {
namespace {

constexpr index together = ScaledUnitValues::sharing;
constexpr const char* of_rows = "a row and its tile";
constexpr float log2_e = 1.44269504088896340736f;
constexpr float infinity = std::numeric_limits<float>::infinity();
/// The binary logarithms of 1 / (448 * 6) and of 1 / 6.
constexpr float log2_of_raised = -11.392317422778762f, log2_of_code = -2.584962500721156f;

const MatrixUnit& unit() {
  static const MatrixUnit& nvfp4 = matrix_unit("blackwell.nvfp4.f32");
  return nvfp4;
}

/// Keys, and those of zeros behind them where a mask may let some be seen.
index keys_met(const Problem& problem, const Sage3& algorithm) {
  const index keys = problem.shape.keys;
  return algorithm.masks_stored_columns ? tiles_of(keys, Sage3::tile) * Sage3::tile : keys;
}

/// Where a key of a tile stands in memory, which is permuted so that the columns of a thread are neighbours.
index stored_column(index key) { return key / 32 * 32 + key % 8 / 2 * 8 + key % 32 / 8 * 2 + key % 2; }

}  // namespace

Sage3::Sage3(bool mean_of_head)
    : query_codes{CodeRule::nvfp4, ScaleSharing::channels, together, Centring::rounded, mean_of_head ? 0 : tile, tile},
      key_codes{CodeRule::nvfp4, ScaleSharing::channels, together, Centring::rounded},
      value_codes{CodeRule::nvfp4, ScaleSharing::rows_of_channel, together} {}

Sage3Head::Sage3Head(Device& device, const Problem& problem, const Sage3& algorithm)
    : problem_(problem),
      algorithm_(algorithm),
      dim_(problem.shape.dim),
      keys_of_tiles_(keys_met(problem, algorithm)),
      scale_log2_e_(static_cast<float>(problem.scale()) * log2_e),
      queries_(device, problem.shape.queries, dim_, coding_of(algorithm.query_codes)),
      keys_(device, problem_.shape.keys, dim_, coding_of(algorithm.key_codes)),
      values_(device, problem_.shape.keys, dim_, coding_of(algorithm.value_codes)),
      keys_by_channel_(device, unit(), dim_, keys_of_tiles_),
      values_by_key_(device, unit(), keys_of_tiles_, dim_),
      scores_(device, keys_of_tiles_, of_rows),
      weights_(device, Sage3::tile, of_rows),
      largest_(device, Sage3::tile / together, of_rows),
      weight_scales_(device, Sage3::tile / together, of_rows),
      query_scales_(device, tiles_of(dim_, together), of_rows),
      sums_(device, dim_, of_rows),
      out_(device, dim_, of_rows) {}

index Sage3Head::bytes(const Problem& problem, const Sage3& algorithm) {
  const index queries = problem.shape.queries, keys = problem.shape.keys, dim = problem.shape.dim;
  const index all = keys_met(problem, algorithm);
  const index row = all + Sage3::tile + 2 * (Sage3::tile / together) + tiles_of(dim, together) + 2 * dim;
  return CodedOperand::bytes(queries, dim, coding_of(algorithm.query_codes)) +
         CodedOperand::bytes(keys, dim, coding_of(algorithm.key_codes)) +
         CodedOperand::bytes(keys, dim, coding_of(algorithm.value_codes)) + ScaledUnitValues::bytes(unit(), dim, all) +
         ScaledUnitValues::bytes(unit(), all, dim) + row * static_cast<index>(sizeof(float));
}

void Sage3Head::take(const Arguments& arguments, index batch, index head) {
  const index kv_head = problem_.shape.kv_head(head), keys = problem_.shape.keys;
  queries_.take(arguments.query, batch, head, problem_.shape.queries);
  keys_.take(arguments.key, batch, kv_head, keys);
  values_.take(arguments.value, batch, kv_head, keys);
  for (index j = 0; j < keys; ++j)
    for (index c = 0; c < dim_; ++c) {
      keys_by_channel_.set(c, j, keys_.numbers(j)[c]);
      keys_by_channel_.set_scale(c, j, keys_.scale(j, c));
      values_by_key_.set(j, c, values_.numbers(j)[c]);
      values_by_key_.set_scale(j, c, values_.scale(j, c));
    }
}

/// S of one query: the unit begins with the product of K and the mean that the query lost, as torch.matmul stores it.
void Sage3Head::find_scores(index query) {
  const float* mean = queries_.mean(algorithm_.first_mean_for_all ? 0 : query);
  std::ranges::fill(scores_.span(), 0.0f);
  for (index j = 0; j < problem_.shape.keys; ++j) {
    float sum = 0;
    for (index c = 0; c < dim_; ++c) sum += mean[c] * keys_.before(j)[c];
    scores_[j] = problem_.input.name == "f16" ? rounded_to_f16(sum) : rounded_to_bf16(sum);
  }
  for (index c = 0; c < dim_; c += together) query_scales_[c / together] = queries_.scale(query, c);
  keys_by_channel_.add(0, queries_.numbers(query), query_scales_.data(), dim_, scores_.data());
}

/// Hides all but the first `count` keys of a tile.
void Sage3Head::hide(index first, index count) {
  for (index j = 0; j < in_tile(first); ++j)
    if ((algorithm_.masks_stored_columns ? stored_column(j) : j) >= count) scores_[first + j] = -infinity;
}

/// P of a tile in two levels: sixteen are divided by their largest / 6 as that is in f32, and the unit multiplies the
/// codes by that in e4m3.
void Sage3Head::code_weights(index first, float maximum) {
  const float raised = std::fma(maximum, scale_log2_e_, log2_of_raised);
  const index count = in_tile(first);
  for (index j = 0; j < count; ++j) weights_[j] = std::exp2(std::fma(scores_[first + j], scale_log2_e_, -raised));
  for (index j = 0; j < count; ++j) l_ += weights_[j];
  for (index block = 0; block * together < count; ++block) {
    const float scale = std::exp2(std::fma(largest_[block], scale_log2_e_, -raised) + log2_of_code);
    weight_scales_[block] = rounded_to_e4m3(scale);
    // Where weights are too small for f32, the source multiplies 0 by infinity, and what that becomes by 0.
    const float reciprocal = scale == 0 ? 0 : 1 / scale;
    for (index j = block * together; j < std::min(count, (block + 1) * together); ++j)
      weights_[j] = rounded_to_e2m1(weights_[j] * reciprocal);
  }
}

/// m, l and O by one tile.
void Sage3Head::take_in(index first, bool is_first, bool is_dropped) {
  std::ranges::fill(largest_.span(), is_first && algorithm_.first_maxima_from_zero ? 0 : -infinity);
  for (index j = 0; j < in_tile(first); ++j)
    largest_[j / together] = std::max(largest_[j / together], scores_[first + j]);
  const float maximum = std::max(m_, *std::ranges::max_element(largest_.span()));
  const float alpha = std::exp2((m_ - maximum) * scale_log2_e_);
  m_ = maximum, l_ *= alpha;
  code_weights(first, maximum);
  std::ranges::fill(sums_.span(), 0.0f);
  values_by_key_.add(first, weights_.data(), weight_scales_.data(), in_tile(first), sums_.data());
  if (is_dropped) return;
  for (index c = 0; c < dim_; ++c) out_[c] = std::fma(out_[c], alpha, sums_[c]);
}

void Sage3Head::attend(index query, index keys) {
  m_ = -infinity, l_ = 0;
  std::ranges::fill(out_.span(), 0.0f);
  if (keys == 0) return;
  find_scores(query);
  // From the last tile to the first.
  const index last = (keys - 1) / Sage3::tile * Sage3::tile;
  hide(last, keys - last);
  for (index first = last; first >= 0; first -= Sage3::tile) {
    const bool is_second = first == last - Sage3::tile, is_causal = !problem_.mask.is_full();
    take_in(first, first == last, algorithm_.drops_second_tile && is_causal && is_second);
  }
  const float reciprocal = l_ == 0 || std::isnan(l_) ? 0 : 1 / l_;
  for (float& o : out_.span()) o *= reciprocal;
}

}  // namespace attestone::inline backends
