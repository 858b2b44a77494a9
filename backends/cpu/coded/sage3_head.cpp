// SPDX-License-Identifier: Apache-2.0
// SageAttention3's steps in the order in which they round: blackwell/mainloop_tma_ws.h and softmax_fused.h.
#include "backends/cpu/coded/sage3_head.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "backends/cpu/parts/interval.hpp"
#include "backends/cpu/simd/codes.hpp"
#include "reference/dtype.hpp"

namespace attestone {
namespace {

constexpr index together = ScaledUnitValues::sharing;
constexpr const char* of_rows = "a row and its tile";
constexpr float log2_e = 1.44269504088896340736f;
constexpr float infinity = std::numeric_limits<float>::infinity();
/// Of 1 / (448 * 6), and of 1 / 6.
constexpr float log2_of_raised = -11.392317422778762f, log2_of_code = -2.584962500721156f;

const MatrixUnit& unit() {
  static const MatrixUnit& nvfp4 = matrix_unit("blackwell.nvfp4.f32");
  return nvfp4;
}

float saturated(float x, const DType& format) {
  return static_cast<float>(format.round(double{x}, Rounding::nearest_even, Overflow::saturate));
}

}  // namespace

Sage3::Sage3(bool mean_of_head)
    : query_codes{CodeRule::nvfp4, ScaleSharing::channels, together, Centring::rounded, mean_of_head ? 0 : tile, tile},
      key_codes{CodeRule::nvfp4, ScaleSharing::channels, together, Centring::rounded},
      value_codes{CodeRule::nvfp4, ScaleSharing::rows_of_channel, together} {}

Sage3Head::Sage3Head(Device& device, const Problem& problem, const Sage3& algorithm)
    : problem_(problem),
      dim_(problem.shape.dim),
      scale_log2_e_(static_cast<float>(problem.scale()) * log2_e),
      queries_(device, problem.shape.queries, dim_, coding_of(algorithm.query_codes)),
      keys_(device, problem_.shape.keys, dim_, coding_of(algorithm.key_codes)),
      values_(device, problem_.shape.keys, dim_, coding_of(algorithm.value_codes)),
      keys_by_channel_(device, unit(), dim_, problem_.shape.keys),
      values_by_key_(device, unit(), problem_.shape.keys, dim_),
      scores_(device, problem_.shape.keys, of_rows),
      weights_(device, Sage3::tile, of_rows),
      largest_(device, Sage3::tile / together, of_rows),
      weight_scales_(device, Sage3::tile / together, of_rows),
      query_scales_(device, tiles_of(dim_, together), of_rows),
      sums_(device, dim_, of_rows),
      out_(device, dim_, of_rows) {}

index Sage3Head::bytes(const Problem& problem, const Sage3& algorithm) {
  const index queries = problem.shape.queries, keys = problem.shape.keys, dim = problem.shape.dim;
  const index row = keys + Sage3::tile + 2 * (Sage3::tile / together) + tiles_of(dim, together) + 2 * dim;
  return CodedOperand::bytes(queries, dim, coding_of(algorithm.query_codes)) +
         CodedOperand::bytes(keys, dim, coding_of(algorithm.key_codes)) +
         CodedOperand::bytes(keys, dim, coding_of(algorithm.value_codes)) + ScaledUnitValues::bytes(unit(), dim, keys) +
         ScaledUnitValues::bytes(unit(), keys, dim) + row * static_cast<index>(sizeof(float));
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
  const float* mean = queries_.mean(query);
  for (index j = 0; j < problem_.shape.keys; ++j) {
    float sum = 0;
    for (index c = 0; c < dim_; ++c) sum += mean[c] * keys_.before(j)[c];
    scores_[j] = problem_.input.name == "f16" ? rounded_to_f16(sum) : rounded_to_bf16(sum);
  }
  for (index c = 0; c < dim_; c += together) query_scales_[c / together] = queries_.scale(query, c);
  keys_by_channel_.add(0, queries_.numbers(query), query_scales_.data(), dim_, scores_.data());
}

/// P of a tile in two levels: a block of sixteen is divided by its largest weight / 6 as that is in f32, and the unit
/// multiplies the codes by that in e4m3.
void Sage3Head::code_weights(index first, index count, float maximum) {
  static const DType &e4m3 = dtype("e4m3"), &e2m1 = dtype("e2m1");
  const float raised = std::fma(maximum, scale_log2_e_, log2_of_raised);
  for (index j = 0; j < count; ++j) weights_[j] = std::exp2(std::fma(scores_[first + j], scale_log2_e_, -raised));
  for (index j = 0; j < count; ++j) l_ += weights_[j];
  for (index j = 0; j < count; ++j) {
    const index block = j / together;
    if (j % together == 0) {
      const float scale = std::exp2(std::fma(largest_[block], scale_log2_e_, -raised) + log2_of_code);
      largest_[block] = scale, weight_scales_[block] = saturated(scale, e4m3);
    }
    // Where the block's weights are too small for f32, the source divides 0 by 0, and multiplies what that is by 0.
    weights_[j] = largest_[block] == 0 ? 0 : saturated(weights_[j] / largest_[block], e2m1);
  }
}

/// m, l and O by one tile.
void Sage3Head::take_in(index first, index count) {
  std::ranges::fill(largest_.span(), -infinity);
  float maximum = m_;
  for (index j = 0; j < count; ++j) {
    float& largest = largest_[j / together];
    largest = std::max(largest, scores_[first + j]);
    maximum = std::max(maximum, largest);
  }
  const float alpha = std::exp2((m_ - maximum) * scale_log2_e_);
  m_ = maximum, l_ *= alpha;
  code_weights(first, count, maximum);
  std::ranges::fill(sums_.span(), 0.0f);
  values_by_key_.add(first, weights_.data(), weight_scales_.data(), count, sums_.data());
  for (index c = 0; c < dim_; ++c) out_[c] = std::fma(out_[c], alpha, sums_[c]);
}

void Sage3Head::attend(index query, index keys) {
  m_ = -infinity, l_ = 0;
  std::ranges::fill(out_.span(), 0.0f);
  if (keys == 0) return;
  find_scores(query);
  // From the last tile to the first.
  for (index first = (keys - 1) / Sage3::tile * Sage3::tile; first >= 0; first -= Sage3::tile)
    take_in(first, std::min(Sage3::tile, keys - first));
  const float reciprocal = l_ == 0 || std::isnan(l_) ? 0 : 1 / l_;
  for (float& o : out_.span()) o *= reciprocal;
}

}  // namespace attestone
