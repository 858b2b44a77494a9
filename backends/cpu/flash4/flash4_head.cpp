// SPDX-License-Identifier: Apache-2.0
// The steps of softmax.py and flash_fwd_sm100.py of flash_attn/cute, in the order in which they round.
#include "backends/cpu/flash4/flash4_head.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "backends/cpu/flash4/exp2_polynomial.hpp"
#include "backends/cpu/parts/codec.hpp"
#include "backends/cpu/simd/codes.hpp"

namespace attestone::inline backends {
namespace {

constexpr const char* of_rows = "a row and its tile";
constexpr float infinity = std::numeric_limits<float>::infinity();

/// _TUNING_CONFIG of flash_fwd_sm100.py, and interface.py: more than two tiles of queries of one kv head, with 128
/// channels, of which whole sixteens are made, and without a mask are computed by pairs of blocks, which have 10.
index frequency_of(const Problem& problem) {
  const Shape& shape = problem.shape;
  const index queries = shape.queries * (shape.heads / shape.kv_heads);
  return shape.dim > 112 && problem.mask.is_full() && queries > 2 * Flash4Head::tile ? 10 : 16;
}

/// SoftmaxSm100::apply_exp2_convert, whose fragments are 32 keys: neither in the first nor in the last one.
bool by_polynomial(index key_of_tile, index frequency) {
  constexpr index fragment = 32, together = 2, of_them = 4;
  const index number = key_of_tile / fragment, place = key_of_tile % fragment / together * together;
  return number >= 1 && number < Flash4Head::tile / fragment - 1 && place % frequency >= frequency - of_them;
}

/// fadd_reduce of utils.py: eight sums of every eighth weight, added up in pairs of neighbours.
constexpr std::size_t lanes = 8;
float sum_of(const std::array<float, lanes>& sums) {
  const auto every_second = [&](std::size_t first) {
    return (sums[first] + sums[first + 2]) + (sums[first + 4] + sums[first + 6]);
  };
  return every_second(0) + every_second(1);
}

}  // namespace

const MatrixUnit& Flash4Head::unit(const Problem& problem) {
  // Blackwell's units for halves keep what Hopper's do.
  return matrix_unit(problem.input.name == "f16" ? "hopper.f16.f32" : "hopper.bf16.f32");
}

Flash4Head::Flash4Head(Device& device, const Problem& problem, Flash4AsPublished as_published)
    : problem_(problem),
      as_published_(as_published),
      dim_(problem.shape.dim),
      frequency_(frequency_of(problem)),
      scale_log2_e_(static_cast<float>(problem.scale()) * std::numbers::log2e_v<float>),
      keys_by_channel_(device, unit(problem), dim_, problem.shape.keys),
      values_(device, unit(problem), problem.shape.keys, dim_),
      given_(device, problem.shape.keys * dim_, "K, then V"),
      scores_(device, problem.shape.keys, of_rows),
      weights_(device, tile, of_rows),
      query_(device, dim_, of_rows),
      out_(device, dim_, of_rows) {}

index Flash4Head::bytes(const Problem& problem) {
  const index keys = problem.shape.keys, dim = problem.shape.dim;
  return UnitValues::bytes(unit(problem), dim, keys) + UnitValues::bytes(unit(problem), keys, dim) +
         (keys * (dim + 1) + tile + 2 * dim) * static_cast<index>(sizeof(float));
}

void Flash4Head::take(const Arguments& arguments, index batch, index head) {
  const index kv_head = problem_.shape.kv_head(head), keys = problem_.shape.keys;
  batch_ = batch, head_ = head;
  given_queries_.emplace(arguments.query);
  const FloatRows key(arguments.key), value(arguments.value);
  for (index j = 0; j < keys; ++j) {
    key.read(batch, kv_head, j, query_.data());
    for (index c = 0; c < dim_; ++c) given_[c * keys + j] = query_[c];
  }
  keys_by_channel_.take(given_.data(), dim_);
  for (index j = 0; j < keys; ++j) value.read(batch, kv_head, j, given_.data() + j * dim_);
  values_.take(given_.data(), keys);
}

void Flash4Head::find_scores(index query) {
  FloatRows(*given_queries_).read(batch_, head_, query, query_.data());
  std::ranges::fill(scores_.span(), 0.0f);
  keys_by_channel_.add(0, query_.data(), dim_, scores_.data());
}

float Flash4Head::power_of_two(float x, index key_of_tile) const {
  if (!by_polynomial(key_of_tile, frequency_)) return std::exp2(x);
  constexpr float least = -127;
  return exp2_polynomial(as_published_.nan_vanishes && std::isnan(x) ? least : x);
}

/// m, l and O by one tile.
void Flash4Head::take_in(index first, index count) {
  const float* scores = scores_.data() + first;
  float maximum = m_;
  for (index j = 0; j < count; ++j) maximum = std::max(maximum, scores[j]);  // which is never NaN
  const float raised = (m_ - (maximum == -infinity ? 0 : maximum)) * scale_log2_e_;
  const float alpha = raised >= -late_by ? 1 : std::exp2(raised);
  if (raised >= -late_by) maximum = m_;
  m_ = maximum;
  std::array<float, lanes> sums{l_ * alpha};
  const float subtracted = maximum == -infinity ? 0 : maximum * scale_log2_e_;
  const auto cast = problem_.input.name == "f16" ? rounded_to_f16 : rounded_to_bf16;
  for (index j = 0; j < count; ++j) {
    const float power = std::fma(scores[j], scale_log2_e_, -subtracted);
    weights_[j] = power_of_two(power, j);
    sums[static_cast<std::size_t>(j) % lanes] += weights_[j];
    weights_[j] = cast(weights_[j]);
  }
  l_ = sum_of(sums);
  for (float& o : out_.span()) o *= alpha;
  values_.add(first, weights_.data(), count, out_.data());
}

float Flash4Head::attend(index query, index keys) {
  m_ = -infinity, l_ = 0;
  std::ranges::fill(out_.span(), 0.0f);
  if (keys == 0) return -infinity;
  find_scores(query);
  // From the last tile to the first.
  for (index first = (keys - 1) / tile * tile; first >= 0; first -= tile) take_in(first, std::min(tile, keys - first));
  const bool says_something = l_ != 0 && l_ == l_;
  const float reciprocal = says_something ? 1 / l_ : 1;
  for (float& o : out_.span()) o *= reciprocal;
  if (l_ == 0 || (as_published_.nan_rows_are_empty && !says_something)) return -infinity;
  return (m_ * scale_log2_e_ + std::log2(l_)) * std::numbers::ln2_v<float>;
}

}  // namespace attestone::inline backends
