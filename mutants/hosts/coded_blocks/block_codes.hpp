// SPDX-License-Identifier: Apache-2.0
// A host of codes by blocks: head after head, with matrices; every step that may be wrong is a virtual function.
//
// SageAttention's first kernel (int8 of blocks, as its Triton code does it): K loses its mean over the keys, Q takes
// softmax scale and log2 e before it is coded, a block of 128 queries or 64 keys shares a scale. P is cast to f16
// before it meets V; the denominator sums P as it was.
#pragma once

#include <vector>

#include "mutants/hosts/coded_blocks/coded_call.hpp"

namespace attestone::inline mutants::coded_blocks {

struct Matrix {
  index rows = 0, columns = 0;
  std::vector<float> data;

  Matrix(index rows_, index columns_)
      : rows(rows_), columns(columns_), data(static_cast<std::size_t>(rows_ * columns_)) {}
  float& operator()(index r, index c) { return data[static_cast<std::size_t>(r * columns + c)]; }
  float operator()(index r, index c) const { return data[static_cast<std::size_t>(r * columns + c)]; }
  const float* row(index r) const { return &data[static_cast<std::size_t>(r * columns)]; }
};

class BlockInt8 {
 public:
  static constexpr const char* numerics =
      "score.query_codes.rule=int8_block score.query_codes.sharing=rows score.query_codes.count=128 "
      "score.key_codes.rule=int8_block score.key_codes.sharing=rows score.key_codes.count=64 "
      "score.key_codes.centring=rounded score.scaled_before_codes=yes score.exact_products=yes "
      "weight_roundoff=0x1p-11 weight_underflow=0x1p-25";

  BlockInt8() = default;
  BlockInt8(const BlockInt8&) = delete;
  BlockInt8& operator=(const BlockInt8&) = delete;
  virtual ~BlockInt8() = default;

  void forward(const attestone_args& a) {
    const index kv_heads = a.batch * a.kv_heads;
    std::vector<std::vector<float>> means;
    std::vector<Matrix> keys, values;
    key_scales.assign(static_cast<std::size_t>(kv_heads * ceil_div(a.keys, key_block())), 0.0F);
    for (index head = 0; head < kv_heads; ++head) {
      means.push_back(mean_of_keys(a, head / a.kv_heads, head % a.kv_heads));
      keys.push_back(coded_keys(a, head, means.back()));
      values.push_back(values_of(a, head));
    }
    for (index b = 0; b < a.batch; ++b)
      for (index h = 0; h < a.heads; ++h) {
        const auto kv = static_cast<std::size_t>(b * a.kv_heads + kv_head_of(a, h));
        for (index begin = 0; begin < a.queries; begin += query_block)
          attend(a, b, h, begin, keys[kv], values[kv], means[kv]);
      }
  }

 protected:
  static constexpr index query_block = 128;
  std::vector<float> key_scales;  // [batch, kv_heads, blocks of keys]

  virtual index key_block() const { return 64; }

  /// Where the scale of a row of K lies; `head` counts through the batch.
  virtual index key_scale_read_at(const attestone_args& a, index head, index row) const {
    return key_scale_written_at(a, head, row);
  }

  index key_scale_written_at(const attestone_args& a, index head, index row) const {
    return head * ceil_div(a.keys, key_block()) + row / key_block();
  }

  /// How many numbers the mean is said to be of.
  virtual double mean_count(const attestone_args& a) const { return static_cast<double>(a.keys); }

  /// Over the keys, in the format of K.
  virtual std::vector<float> mean_of_keys(const attestone_args& a, index b, index kv_head) const {
    std::vector<float> mean(static_cast<std::size_t>(a.dim));
    for (index c = 0; c < a.dim; ++c) {
      double sum = 0;
      for (index j = 0; j < a.keys; ++j) sum += static_cast<double>(load(a.key, b, kv_head, j, c));
      mean[static_cast<std::size_t>(c)] = narrow(sum / mean_count(a), format_of(a.key));
    }
    return mean;
  }

  /// A number of K without its mean, in the format of K.
  virtual float centred(const attestone_args& a, index /*row*/, float x, float mean) const {
    return narrow(static_cast<double>(x) - static_cast<double>(mean), format_of(a.key));
  }

  /// A number of Q, times the softmax scale and log2 e.
  virtual float scaled_query(const attestone_args& a, float x) const {
    return x * static_cast<float>(a.scale * 1.44269504);
  }

  /// x / scale, half a step added to its size, cut off. Where all is 0, so is the scale.
  virtual float code(float x, float scale) const {
    if (scale == 0) return 0;
    const float y = x / scale;
    return std::clamp(std::trunc(y + (y >= 0 ? 0.5F : -0.5F)), -128.0F, 127.0F);
  }

  /// The share in log_sum_exp that K lost with its mean.
  virtual float mean_score(const attestone_args& a, index b, index h, index i, const std::vector<float>& mean) const {
    float sum = 0;
    for (index c = 0; c < a.dim; ++c) sum += load(a.query, b, h, i, c) * mean[static_cast<std::size_t>(c)];
    return sum * static_cast<float>(a.scale);
  }

 private:
  /// Rows begin to end - 1 of x become codes; answers their scale.
  float encode(Matrix& x, index begin, index end) const {
    float largest = 0;
    for (index r = begin; r < end; ++r)
      for (index c = 0; c < x.columns; ++c) largest = larger_size(largest, x(r, c));
    const float scale = largest / 127.0F;
    for (index r = begin; r < end; ++r)
      for (index c = 0; c < x.columns; ++c) x(r, c) = code(x(r, c), scale);
    return scale;
  }

  Matrix coded_keys(const attestone_args& a, index head, const std::vector<float>& mean) {
    Matrix x(a.keys, a.dim);
    for (index j = 0; j < a.keys; ++j)
      for (index c = 0; c < a.dim; ++c)
        x(j, c) =
            centred(a, j, load(a.key, head / a.kv_heads, head % a.kv_heads, j, c), mean[static_cast<std::size_t>(c)]);
    for (index j = 0; j < a.keys; j += key_block())
      key_scales[static_cast<std::size_t>(key_scale_written_at(a, head, j))] =
          encode(x, j, std::min(j + key_block(), a.keys));
    return x;
  }

  static Matrix values_of(const attestone_args& a, index head) {
    Matrix x(a.keys, a.dim);
    for (index j = 0; j < a.keys; ++j)
      for (index c = 0; c < a.dim; ++c) x(j, c) = load(a.value, head / a.kv_heads, head % a.kv_heads, j, c);
    return x;
  }

  /// A block of queries of one head: scores, softmax, mean of V.
  void attend(const attestone_args& a, index b, index h, index begin, const Matrix& keys, const Matrix& values,
              const std::vector<float>& mean) const {
    const index rows = std::min(query_block, a.queries - begin);
    const index kv_head = kv_head_of(a, h);
    Matrix queries(rows, a.dim);
    for (index r = 0; r < rows; ++r)
      for (index c = 0; c < a.dim; ++c) queries(r, c) = scaled_query(a, load(a.query, b, h, begin + r, c));
    const float query_scale = encode(queries, 0, rows);

    Matrix scores(rows, a.keys);  // to base 2
    for (index r = 0; r < rows; ++r)
      for (index j = 0; j < keys_seen(a, begin + r); ++j) {
        const index at = key_scale_read_at(a, b * a.kv_heads + kv_head, j);
        scores(r, j) =
            dot(queries.row(r), keys.row(j), a.dim) * (query_scale * key_scales[static_cast<std::size_t>(at)]);
      }

    Matrix out(rows, a.dim);
    for (index r = 0; r < rows; ++r) {
      const index seen = keys_seen(a, begin + r);
      const float* s = scores.row(r);
      const float largest = *std::max_element(s, s + seen);
      float denominator = 0;
      for (index j = 0; j < seen; ++j) {
        const float p = std::exp2(s[j] - largest);
        denominator += p;
        const float cast = narrow(static_cast<double>(p), f16);
        for (index c = 0; c < a.dim; ++c) out(r, c) += cast * values(j, c);
      }
      for (index c = 0; c < a.dim; ++c) store_out(a, b, h, begin + r, c, out(r, c) / denominator);
      store_log_sum_exp(a, b, h, begin + r,
                        (std::log2(denominator) + largest) * ln2 + mean_score(a, b, h, begin + r, mean));
    }
  }

  /// Integers: exact.
  static float dot(const float* x, const float* y, index n) {
    float sum = 0;
    for (index c = 0; c < n; ++c) sum += x[c] * y[c];
    return sum;
  }
};

}  // namespace attestone::inline mutants::coded_blocks
