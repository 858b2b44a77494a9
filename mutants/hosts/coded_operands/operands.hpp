// SPDX-License-Identifier: Apache-2.0
// What the operands of several kernels share: K and V that are kept while heads share them, K less its mean, NVFP4.
#pragma once

#include <utility>

#include "mutants/hosts/coded_operands/softmax.hpp"

namespace attestone::inline mutants::coded_operands {

/// Which kv head of which sequence K and V were made of last.
class LastKvHead {
 public:
  /// True if this query head reads another kv head than the one before; that head is the last one from then on.
  bool changes(const Call& call, index b, index h) {
    const index now = b * call.kv_heads + h / call.group;
    return std::exchange(last_, now) != now;
  }

 private:
  index last_ = -1;
};

/// K loses a mean: scores lack the product of the query with it, times the scale.
struct SmoothedKeys : softmax::PlainValues {
  std::vector<float> mean, share;

  void give_back(const Matrix& queries, float scale) {
    share.clear();
    for (index i = 0; i < queries.rows; ++i)
      share.push_back(coding::dot(queries.row(i), mean.data(), queries.cols) * scale);
  }
  float lse_share(index i) const { return share[static_cast<std::size_t>(i)]; }
};

/// NVFP4 codes of Q, and of K less its mean.
struct Nvfp4Operands : SmoothedKeys {
  coding::Coded q, k;
  LastKvHead last;
  float scale = 0;

  void open(const Call& call, index b, index h) {
    scale = call.scale;
    if (last.changes(call, b, h)) {
      Matrix keys = call.key_rows(b, h / call.group);
      mean = coding::rounded_means(call, keys);
      coding::centre(call, keys, mean, true);
      k = coding::by_channels<coding::Nvfp4>(keys, 16);
      v = call.value_rows(b, h / call.group);
    }
    const Matrix queries = call.query_rows(b, h);
    q = coding::by_channels<coding::Nvfp4>(queries, 16);
    give_back(queries, scale);
  }
  float score(index i, index j) const { return coding::blocked_dot(q, i, k, j, 16) * scale; }
};

inline constexpr const char* nvfp4_scores =
    "score.query_codes.rule=nvfp4 score.query_codes.sharing=channels score.query_codes.count=16 "
    "score.key_codes.rule=nvfp4 score.key_codes.sharing=channels score.key_codes.count=16 "
    "score.key_codes.centring=rounded ";

}  // namespace attestone::inline mutants::coded_operands
