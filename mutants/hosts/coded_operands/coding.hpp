// SPDX-License-Identifier: Apache-2.0
// Codes: numbers of a group share a scale. A rule is a type with `scale(largest)` and `code(x, largest, scale)`; who is
// in which group is said by a function of row and channel.
#pragma once

#include "mutants/hosts/coded_operands/call.hpp"

namespace attestone::inline mutants::coded_operands::coding {

inline float half_away(float y) { return std::trunc(y + (y < 0 ? -0.5f : 0.5f)); }
inline float clip_to(float y, float least, float most) { return y < least ? least : y > most ? most : y; }

struct Int8Block {
  static float scale(float a) { return a / 127.0f; }
  static float code(float x, float, float s) { return s == 0 ? 0.0f : clip_to(half_away(x / s), -128, 127); }
};

struct Int8Thread {
  static float scale(float a) { return a / 127.0f + 1e-7f; }
  static float code(float x, float, float s) { return clip_to(half_away(x / s), -128, 127); }
};

struct Int4Thread {
  static float scale(float a) { return a / 7.0f + 1e-7f; }
  static float code(float x, float, float s) { return clip_to(half_away(x / s), -8, 7); }
};

struct Int8Cuda {
  static float floor(float a) { return a < 1e-7f ? 1e-7f : a; }
  static float scale(float a) { return floor(a) / 127.0f; }
  static float code(float x, float a, float) { return clip_to(std::nearbyint(x * (127.0f / floor(a))), -128, 127); }
};

struct E4m3 {
  static float scale(float a) { return a / 448.0f; }
  static float code(float x, float a, float) { return x == 0 ? 0.0f : to_e4m3(x * (448.0f / a)); }
};

struct Nvfp4 {
  static float scale(float a) { return to_e4m3(a / 6.0f); }
  static float code(float x, float, float s) { return s == 0 ? 0.0f : to_e2m1(x * (1.0f / s)); }
};

/// OCP MX: the power of two of the largest number, less that of the format's largest.
template <int kLargestExponent>
inline float mx_scale(float a) {
  if (a == 0) return 0;
  if (!std::isfinite(a)) return a;
  const int e = std::ilogb(a) - kLargestExponent;
  return std::ldexp(1.0f, e < -127 ? -127 : e > 127 ? 127 : e);
}

struct Mxfp4 {
  static float scale(float a) { return mx_scale<2>(a); }
  static float code(float x, float, float s) { return s == 0 ? 0.0f : to_e2m1(x / s); }
};

struct Mxfp8 {
  static float scale(float a) { return mx_scale<8>(a); }
  static float code(float x, float, float s) { return s == 0 ? 0.0f : to_e4m3(x / s); }
};

/// The larger of two sizes; NaN wins.
inline float wider(float a, float x) {
  const float size = std::fabs(x);
  return std::isnan(size) || size > a ? size : a;
}

struct Coded {
  Matrix codes;
  std::vector<float> scales;  // by group
};

/// x becomes codes. group(r, c) is below `groups`.
template <class Rule, class Group>
Coded encode(const Matrix& x, index groups, Group group) {
  Coded out{Matrix(x.rows, x.cols), std::vector<float>(static_cast<std::size_t>(groups))};
  std::vector<float> largest(static_cast<std::size_t>(groups), 0.0f);
  for (index r = 0; r < x.rows; ++r)
    for (index c = 0; c < x.cols; ++c) {
      float& a = largest[static_cast<std::size_t>(group(r, c))];
      a = wider(a, x.row(r)[c]);
    }
  for (std::size_t g = 0; g < largest.size(); ++g) out.scales[g] = Rule::scale(largest[g]);
  for (index r = 0; r < x.rows; ++r)
    for (index c = 0; c < x.cols; ++c) {
      const auto g = static_cast<std::size_t>(group(r, c));
      out.codes.row(r)[c] = Rule::code(x.row(r)[c], largest[g], out.scales[g]);
    }
  return out;
}

/// Groups of `count` neighbouring rows.
template <class Rule>
Coded by_rows(const Matrix& x, index count) {
  return encode<Rule>(x, (x.rows + count - 1) / count, [count](index r, index) { return r / count; });
}

/// Groups of `count` neighbouring channels of a row.
template <class Rule>
Coded by_channels(const Matrix& x, index count) {
  const index per_row = (x.cols + count - 1) / count;
  return encode<Rule>(x, x.rows * per_row, [=](index r, index c) { return r * per_row + c / count; });
}

/// The thread of a tensor core's tile that holds a row, counted through all warps of `warp` rows.
inline index query_thread(index r, index warp) { return r / warp * 8 + r % warp % 8; }
inline index key_thread(index r, index warp) { return r / warp * 4 + r % warp % 8 / 2; }

template <class Rule>
Coded by_query_threads(const Matrix& x, index warp) {
  return encode<Rule>(x, (x.rows + warp - 1) / warp * 8, [warp](index r, index) { return query_thread(r, warp); });
}
template <class Rule>
Coded by_key_threads(const Matrix& x, index warp) {
  return encode<Rule>(x, (x.rows + warp - 1) / warp * 4, [warp](index r, index) { return key_thread(r, warp); });
}

/// The mean of each column, not rounded. Sums of 16-bit numbers are exact in double, or nearly so.
inline std::vector<double> column_means(const Matrix& x) {
  std::vector<double> mean(static_cast<std::size_t>(x.cols), 0.0);
  for (index r = 0; r < x.rows; ++r)
    for (index c = 0; c < x.cols; ++c) mean[static_cast<std::size_t>(c)] += static_cast<double>(x.row(r)[c]);
  for (double& m : mean) m /= static_cast<double>(x.rows);
  return mean;
}

/// The mean in the format of the inputs.
inline std::vector<float> rounded_means(const Call& call, const Matrix& x) {
  std::vector<float> mean;
  for (const double m : column_means(x)) mean.push_back(call.as_input(m));
  return mean;
}

/// x less its mean, rounded to the format of the inputs or to f32.
inline void centre(const Call& call, Matrix& x, const std::vector<float>& mean, bool to_input_format) {
  for (index r = 0; r < x.rows; ++r)
    for (index c = 0; c < x.cols; ++c) {
      float& e = x.row(r)[c];
      const double less = static_cast<double>(e) - static_cast<double>(mean[static_cast<std::size_t>(c)]);
      e = to_input_format ? call.as_input(less) : static_cast<float>(less);
    }
}

/// A product of two rows; exact if the codes are integers.
inline float dot(const float* x, const float* y, index n) {
  float sum = 0;
  for (index c = 0; c < n; ++c) sum += x[c] * y[c];
  return sum;
}

/// Codes whose scales are those of these groups.
inline float scaled_dot(const Coded& q, index i, index query_group, const Coded& k, index j, index key_group,
                        float scale) {
  return dot(q.codes.row(i), k.codes.row(j), q.codes.cols) *
         (q.scales[static_cast<std::size_t>(query_group)] * k.scales[static_cast<std::size_t>(key_group)] * scale);
}

/// Codes by the threads of warps of so many rows.
inline float thread_dot(const Coded& q, index i, index query_warp, const Coded& k, index j, index key_warp,
                        float scale) {
  return scaled_dot(q, i, query_thread(i, query_warp), k, j, key_thread(j, key_warp), scale);
}

/// Codes with a scale for each `count` channels of a row.
inline float blocked_dot(const Coded& q, index i, const Coded& k, index j, index count) {
  const index n = q.codes.cols, per_row = (n + count - 1) / count;
  float sum = 0;
  for (index g = 0; g < per_row; ++g) {
    const index from = g * count;
    const float part = dot(q.codes.row(i) + from, k.codes.row(j) + from, std::min(count, n - from));
    sum += part *
           (q.scales[static_cast<std::size_t>(i * per_row + g)] * k.scales[static_cast<std::size_t>(j * per_row + g)]);
  }
  return sum;
}

}  // namespace attestone::inline mutants::coded_operands::coding
