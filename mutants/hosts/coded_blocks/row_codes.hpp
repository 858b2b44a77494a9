// SPDX-License-Identifier: Apache-2.0
// A host of codes by rows: row after row, as one writes it down first: all scores of a query, their softmax, its mean
// of V. In f32.
//
// A kernel is Attention<Codes<Rule>>, where Codes says what becomes of Q, K and V. A wrong kernel derives from a rule
// and hides one of its functions.
#pragma once

#include <utility>
#include <vector>

#include "mutants/hosts/coded_blocks/coded_call.hpp"

namespace attestone::inline mutants::coded_blocks {

/// The rows of one head of a tensor, as f32.
using Row = std::vector<float>;

inline std::vector<Row> rows_of(const attestone_tensor& t, index b, index h, index count, index dim) {
  std::vector<Row> rows(static_cast<std::size_t>(count), Row(static_cast<std::size_t>(dim)));
  for (index r = 0; r < count; ++r)
    for (index c = 0; c < dim; ++c)
      rows[static_cast<std::size_t>(r)][static_cast<std::size_t>(c)] = load(t, b, h, r, c);
  return rows;
}

template <class Codes>
class Attention {
 public:
  static constexpr const char* numerics = Codes::numerics;

  using Rule = typename Codes::Rule;

  explicit Attention(Rule rule = {}) : rule_(std::move(rule)) {}

  void forward(const attestone_args& a) const {
    for (index b = 0; b < a.batch; ++b)
      for (index h = 0; h < a.heads; ++h) head(a, b, h);
  }

 private:
  Rule rule_;

  void head(const attestone_args& a, index b, index h) const {
    const Codes codes(rule_, a, b, h);
    std::vector<float> score(static_cast<std::size_t>(a.keys));
    Row out(static_cast<std::size_t>(a.dim));
    for (index i = 0; i < a.queries; ++i) {
      const auto seen = static_cast<std::size_t>(keys_seen(a, i));
      float largest = -infinity;
      for (std::size_t j = 0; j < seen; ++j) {
        score[j] = static_cast<float>(a.scale) * codes.product(static_cast<std::size_t>(i), j);
        largest = std::max(largest, score[j]);
      }
      float sum = 0;
      std::fill(out.begin(), out.end(), 0.0F);
      for (std::size_t j = 0; j < seen; ++j) {
        const float weight = std::exp(score[j] - largest);
        sum += weight;
        codes.add_value(out, weight, j);
      }
      for (std::size_t c = 0; c < out.size(); ++c) store_out(a, b, h, i, static_cast<index>(c), out[c] / sum);
      store_log_sum_exp(a, b, h, i, largest + std::log(sum));
    }
  }
};

/// The rule of int8 codes by tokens.
struct TokenRule {
  static constexpr float steps = 127;  // of the scale

  /// The largest size of a row.
  static float largest(const Row& x) {
    float a = 0;
    for (const float v : x) a = larger_size(a, v);
    return a;
  }

  /// Half a step added to the size, cut off.
  static float rounded(float x) { return std::trunc(x + (x >= 0 ? 0.5F : -0.5F)); }
};

/// Q and K in int8, a scale for each token; V as it is.
template <class Coding>
class TokenInt8 {
 public:
  using Rule = Coding;
  static constexpr const char* numerics =
      "score.query_codes.rule=int8_block score.query_codes.sharing=rows score.query_codes.count=1 "
      "score.key_codes.rule=int8_block score.key_codes.sharing=rows score.key_codes.count=1 "
      "score.exact_products=yes weight_roundoff=0 weight_underflow=0";

  TokenInt8(const Rule& /*has no state*/, const attestone_args& a, index b, index h) {
    const index kv_head = kv_head_of(a, h);
    for (const Row& x : rows_of(a.query, b, h, a.queries, a.dim)) queries_.push_back(encode(x));
    for (const Row& x : rows_of(a.key, b, kv_head, a.keys, a.dim)) keys_.push_back(encode(x));
    values_ = rows_of(a.value, b, kv_head, a.keys, a.dim);
  }

  float product(std::size_t i, std::size_t j) const {
    const Token& q = queries_[i];
    const Token& k = keys_[j];
    std::int32_t sum = 0;
    for (std::size_t c = 0; c < q.codes.size(); ++c) sum += q.codes[c] * k.codes[c];
    return static_cast<float>(sum) * (q.scale * k.scale);
  }

  void add_value(Row& out, float weight, std::size_t j) const {
    for (std::size_t c = 0; c < out.size(); ++c) out[c] += weight * values_[j][c];
  }

 private:
  struct Token {
    float scale;
    std::vector<std::int8_t> codes;
  };
  std::vector<Token> queries_, keys_;
  std::vector<Row> values_;

  static Token encode(const Row& x) {
    Token token{Rule::largest(x) / Rule::steps, {}};
    for (const float v : x)
      token.codes.push_back(token.scale == 0 ? std::int8_t{0} : saturated_int8(Rule::rounded(v / token.scale)));
    return token;
  }
};

/// Where a cache of K and V keeps its scales.
struct CachePlaces {
  /// The scale of token j of V among those of its head.
  static std::size_t value_token(std::size_t j) { return j; }

  /// The head of the cache whose scales of V a query's head reads.
  static index value_scale_head(const attestone_args& a, index h) { return kv_head_of(a, h); }

  /// The scales of K that are used, where `made` are those of this call; `head` counts through the batch.
  Row key_scales(const attestone_args& /*a*/, index /*head*/, const Row& made) const { return made; }
};

/// A cache: K in int8 with a scale for each channel, V in e4m3 with one for each token. Q stays as it is, and takes the
/// scales of K before it meets its codes.
template <class Places>
class Cache {
 public:
  using Rule = Places;
  static constexpr const char* numerics =
      "score.key_codes.rule=int8_cuda score.key_codes.sharing=channel "
      "value.codes.rule=e4m3 value.codes.sharing=rows value.codes.count=1 weight_roundoff=0 weight_underflow=0";

  Cache(const Places& places, const attestone_args& a, index b, index h)
      : queries_(rows_of(a.query, b, h, a.queries, a.dim)) {
    const index kv_head = kv_head_of(a, h);
    encode_keys(places, a, b, kv_head);
    values_ = encoded_values(a, b, kv_head);
    const index scale_head = Places::value_scale_head(a, h);
    value_scales_ = scale_head == kv_head ? values_.scales : encoded_values(a, b, scale_head).scales;
    for (Row& q : queries_)
      for (std::size_t c = 0; c < q.size(); ++c) q[c] *= key_scales_[c];
  }

  float product(std::size_t i, std::size_t j) const {
    float sum = 0;
    for (std::size_t c = 0; c < queries_[i].size(); ++c) sum += queries_[i][c] * static_cast<float>(keys_[j][c]);
    return sum;
  }

  void add_value(Row& out, float weight, std::size_t j) const {
    const float scale = value_scales_[Places::value_token(j)];
    for (std::size_t c = 0; c < out.size(); ++c) out[c] += weight * (values_.codes[j][c] * scale);
  }

 private:
  struct Values {
    std::vector<Row> codes;  // numbers of e4m3
    Row scales;
  };
  std::vector<Row> queries_;
  std::vector<std::vector<std::int8_t>> keys_;
  Row key_scales_, value_scales_;
  Values values_;

  void encode_keys(const Places& places, const attestone_args& a, index b, index kv_head) {
    const std::vector<Row> x = rows_of(a.key, b, kv_head, a.keys, a.dim);
    Row largest(static_cast<std::size_t>(a.dim), 1e-7F), scales;
    for (const Row& row : x)
      for (std::size_t c = 0; c < row.size(); ++c) largest[c] = larger_size(largest[c], row[c]);
    for (const float size : largest) scales.push_back(size / 127.0F);
    for (const Row& row : x) {
      keys_.emplace_back();
      for (std::size_t c = 0; c < row.size(); ++c)
        keys_.back().push_back(saturated_int8(std::nearbyint(row[c] * (127.0F / largest[c]))));
    }
    key_scales_ = places.key_scales(a, b * a.kv_heads + kv_head, scales);
  }

  static Values encoded_values(const attestone_args& a, index b, index kv_head) {
    Values values{rows_of(a.value, b, kv_head, a.keys, a.dim), {}};
    for (Row& row : values.codes) {
      float largest = 0;
      for (const float v : row) largest = larger_size(largest, v);
      const float factor = largest == 0 ? 0 : 448.0F / largest;
      for (float& v : row) v = v == 0 ? v : narrow(static_cast<double>(v * factor), e4m3);
      values.scales.push_back(largest / 448.0F);
    }
    return values;
  }
};

}  // namespace attestone::inline mutants::coded_blocks
