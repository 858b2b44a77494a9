// SPDX-License-Identifier: Apache-2.0
// The steps of a coded kernel, in the order in which they round.
#include "backends/cpu/quantized_kernels/head.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "backends/cpu/quantized_kernels/weight_formats.hpp"
#include "backends/cpu/simd/codes.hpp"

namespace attestone::inline backends {
namespace {

/// log2 e in SageAttention's sources in Python and in CUDA.
constexpr double log2_e_of_python = 1.44269504;
constexpr float log2_e_of_cuda = 1.44269504088896340736f;
constexpr const char* of_rows = "a row and its tile";

std::optional<float> factor_of(const Problem& problem, const CodedAlgorithm& algorithm) {
  if (!algorithm.scaled_before_codes) return std::nullopt;
  return static_cast<float>(problem.scale() * log2_e_of_python);
}

}  // namespace

CodedHead::CodedHead(Device& device, const Problem& problem, const CodedAlgorithm& algorithm)
    : problem_(problem),
      algorithm_(algorithm),
      dim_(problem.shape.dim),
      scale_(static_cast<float>(problem.scale())),
      scale_log2_e_(scale_ * log2_e_of_cuda),
      queries_(device, problem.shape.queries, dim_, coding_of(algorithm.query_codes, factor_of(problem, algorithm))),
      keys_(device, problem.shape.keys, dim_, coding_of(algorithm.key_codes)),
      values_in_f16_(device, algorithm.value_codes.happen() ? 0 : problem.shape.keys * dim_, "values in f16"),
      values_(device, *algorithm.unit, problem.shape.keys, dim_),
      ones_(device, algorithm.denominator ? *algorithm.denominator : *algorithm.unit, algorithm.key_tile, 1),
      keys_transposed_(device, algorithm.score_unit ? problem.shape.keys * dim_ : 0, "K, channel by channel"),
      key_scales_(device, problem.shape.keys, of_rows),
      products_(device, problem.shape.keys, of_rows),
      out_(device, dim_, of_rows),
      sums_(device, dim_, of_rows),
      given_query_(device, dim_, of_rows),
      scores_(device, algorithm.key_tile, of_rows),
      factors_(device, algorithm.key_tile, of_rows),
      weights_(device, algorithm.key_tile, of_rows) {
  if (algorithm.value_codes.happen())
    coded_values_.emplace(device, problem.shape.keys, dim_, coding_of(algorithm.value_codes));
  if (algorithm.score_unit)
    keys_by_channel_.emplace(device, *algorithm.score_unit, dim_, problem.shape.keys);
  else
    integer_keys_.emplace(device, problem.shape.keys, dim_);
  std::ranges::fill(weights_.span(), 1.0f);
  ones_.take(weights_.data(), algorithm.key_tile);
}

index CodedHead::bytes(const Problem& problem, const CodedAlgorithm& algorithm) {
  const index queries = problem.shape.queries, keys = problem.shape.keys, dim = problem.shape.dim;
  constexpr auto of_float = static_cast<index>(sizeof(float));
  const MatrixUnit& of_ones = algorithm.denominator ? *algorithm.denominator : *algorithm.unit;
  return CodedOperand::bytes(queries, dim, coding_of(algorithm.query_codes)) +
         CodedOperand::bytes(keys, dim, coding_of(algorithm.key_codes)) +
         (algorithm.value_codes.happen() ? CodedOperand::bytes(keys, dim, coding_of(algorithm.value_codes))
                                         : keys * dim * of_float) +
         (algorithm.score_unit ? UnitValues::bytes(*algorithm.score_unit, dim, keys) + keys * dim * of_float
                               : IntegerRows::bytes(keys, dim)) +
         UnitValues::bytes(*algorithm.unit, keys, dim) + UnitValues::bytes(of_ones, algorithm.key_tile, 1) +
         (2 * keys + 3 * (dim + algorithm.key_tile)) * of_float;
}

void CodedHead::take(const Arguments& arguments, index batch, index head) {
  const index kv_head = problem_.shape.kv_head(head);
  batch_ = batch, head_ = head;
  given_queries_.emplace(arguments.query);
  own_ = problem_.sequence(batch);
  queries_.take(arguments.query, batch, head, own_.queries);
  if (algorithm_.key_codes.mean_of_batch)
    keys_.average(arguments.key, kv_head, [&](index other) { return problem_.sequence(other).keys; });
  keys_.take(arguments.key, batch, kv_head, own_.keys);
  take_keys();
  take_values(arguments.value, batch, kv_head);
}

void CodedHead::take_keys() {
  for (index j = 0; j < own_.keys; ++j) key_scales_[j] = keys_.scale(j, 0);
  if (integer_keys_) return integer_keys_->take(keys_.numbers(0), own_.keys);
  for (index j = 0; j < own_.keys; ++j)
    for (index c = 0; c < dim_; ++c) keys_transposed_[c * problem_.shape.keys + j] = keys_.numbers(j)[c];
  keys_by_channel_->take(keys_transposed_.data(), dim_);
}

void CodedHead::take_values(const ConstView& view, index batch, index kv_head) {
  const index keys = own_.keys;
  if (coded_values_) {
    coded_values_->take(view, batch, kv_head, keys);
    return values_.take(coded_values_->numbers(0), keys);
  }
  const FloatRows from(view);
  for (index j = 0; j < keys; ++j) from.read(batch, kv_head, j, values_in_f16_.data() + j * dim_);
  for (float& v : values_in_f16_.span()) v = rounded_to_f16(v);
  values_.take(values_in_f16_.data(), keys);
}

/// Codes of one query times those of the first keys: sums of integers below 2^21, which are exact, or what the unit
/// makes.
void CodedHead::multiply(index query, index keys) {
  if (integer_keys_) return integer_keys_->multiply(queries_.numbers(query), keys, products_.data());
  std::ranges::fill(products_.span(), 0.0f);
  keys_by_channel_->add(0, queries_.numbers(query), dim_, products_.data());
}

/// The mean that the query lost, times the key.
float CodedHead::given_back(index query, index key) const {
  const float *mean = queries_.mean(query), *k = keys_.before(key);
  float sum = 0;
  for (index c = 0; c < dim_; ++c) sum += mean[c] * k[c];
  return sum;
}

/// Scores and factors of a tile, whose products count powers of 2.
void CodedHead::find_scores(index query, index first, index count, bool scaled) {
  const bool by_codes_first = scaled || algorithm_.scaled_before_codes || algorithm_.gives_query_mean_back();
  const float query_scale = queries_.scale(query, 0);
  for (index j = 0; j < count; ++j) {
    const index key = first + j;
    const float of_codes = query_scale * key_scales_[key];
    scores_[j] = products_[key] * (by_codes_first ? of_codes : 1);
    if (algorithm_.gives_query_mean_back()) scores_[j] += given_back(query, key);
    factors_[j] = algorithm_.scaled_before_codes ? 1 : by_codes_first ? scale_log2_e_ : scale_log2_e_ * of_codes;
  }
}

/// m, l and O by one tile, whose scores are known.
void CodedHead::take_in(index first, index count) {
  float largest = m_;
  for (index j = 0; j < count; ++j) largest = std::max(largest, std::fma(scores_[j], factors_[j], -algorithm_.lowered));
  const float alpha = std::exp2(m_ - largest);
  m_ = largest;
  l_ *= alpha;
  for (index j = 0; j < count; ++j) weights_[j] = std::exp2(std::fma(scores_[j], factors_[j], -m_));
  if (!algorithm_.denominator) {
    float sum = 0;
    for (index j = 0; j < count; ++j) sum += weights_[j];
    l_ += sum;
  }
  const auto cast = algorithm_.unit->operand == "e4m3" ? rounded_to_e4m3 : rounded_to_f16;
  for (index j = 0; j < count; ++j) weights_[j] = cast(weights_[j]);
  if (algorithm_.denominator) ones_.add(0, weights_.data(), count, &l_);
  add_weighted(first, count, alpha);
}

void CodedHead::add_weighted(index first, index count, float alpha) {
  if (algorithm_.sums == TileSums::apart) {
    std::ranges::fill(sums_.span(), 0.0f);
    values_.add(first, weights_.data(), count, sums_.data());
    for (index c = 0; c < dim_; ++c) {
      const float sum = algorithm_.scales_tiles() ? sums_[c] * coded_values_->scale(first, c) : sums_[c];
      out_[c] = out_[c] * alpha + sum;
    }
    return;
  }
  if (algorithm_.accumulates_in_f16()) {
    const float factor = rounded_to_f16(alpha);
    for (float& o : out_.span()) o = rounded_to_f16(o * factor);
  } else {
    for (float& o : out_.span()) o *= alpha;
  }
  values_.add(first, weights_.data(), count, out_.data());
}

void CodedHead::divide() {
  if (algorithm_.divides) {
    for (float& o : out_.span()) o /= l_;
    return;
  }
  const float reciprocal = 1 / l_;
  for (float& o : out_.span()) o *= reciprocal;
  if (algorithm_.sums == TileSums::onto_out && algorithm_.accumulates_in_f16())
    for (float& o : out_.span()) o = rounded_to_f16(o);
  if (coded_values_ && !algorithm_.scales_tiles())
    for (index c = 0; c < dim_; ++c) out_[c] *= coded_values_->scale(0, c);
  if (algorithm_.gives_value_mean_back()) add_value_mean();
}

/// In the format of O, as SageAttention's kernel for accumulators of f16 does, or in f32.
void CodedHead::add_value_mean() {
  const float* mean = coded_values_->mean(0);
  const bool in_f16 = problem_.output.name == "f16";
  for (index c = 0; c < dim_; ++c) {
    if (algorithm_.multiplies_f16()) out_[c] = in_f16 ? rounded_to_f16(out_[c]) : rounded_to_bf16(out_[c]);
    out_[c] += mean[c];
  }
}

/// The product of the query and the mean of K, in the format of both, as torch.matmul computes it.
float CodedHead::mean_product(index query) {
  FloatRows(*given_queries_).read(batch_, head_, query, given_query_.data());
  float sum = 0;
  for (index c = 0; c < dim_; ++c) sum += given_query_[c] * keys_.mean(0)[c];
  return problem_.input.name == "f16" ? rounded_to_f16(sum) : rounded_to_bf16(sum);
}

float CodedHead::attend(index query, index keys) {
  const index tile = algorithm_.key_tile;
  // Tiles end where those of the whole block of queries do, not where the row's last key is.
  const index block_end = (query / algorithm_.query_block + 1) * algorithm_.query_block;
  const index tiles = tiles_of(problem_.mask.is_full() ? keys : std::min(own_.keys, block_end), tile);
  m_ = -std::numeric_limits<float>::infinity(), l_ = 0;
  std::ranges::fill(out_.span(), 0.0f);
  if (keys == 0) return m_;
  multiply(query, keys);
  for (index first = 0; first < keys; first += tile) {
    const index count = std::min(tile, keys - first);
    find_scores(query, first, count, first / tile >= tiles - algorithm_.scaled_tiles);
    take_in(first, count);
  }
  divide();
  return (std::log2(l_) + m_) / static_cast<float>(log2_e_of_python) +
         (algorithm_.key_codes.centring == Centring::none ? 0 : mean_product(query) * scale_);
}

}  // namespace attestone::inline backends
