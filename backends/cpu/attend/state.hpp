// SPDX-License-Identifier: Apache-2.0
// The state of a tile of queries after the keys that it has seen: it can wait, be merged with another, and go on.
#pragma once

#include <algorithm>

#include "backends/cpu/parts/head_sink.hpp"
#include "backends/cpu/simd/panel.hpp"
#include "backends/device.hpp"

namespace attestone::inline backends {

/// m, l and O of some queries of one head, in panels. In base 2: m is the largest score, l the sum of 2^(s - m), O that
/// of 2^(s - m) v. Where somebody asks for them, also the largest scores of keys alone, whatever m begins with.
class AttendState {
 public:
  AttendState(Device&, index most_queries, index value_dim, bool keeps_maxima = false);
  /// 4 * 32 * (2 + value_dim) for every panel, and 4 * 32 more with maxima.
  static index bytes(index most_queries, index value_dim, bool keeps_maxima = false);

  /// The state of these queries before their first key: nothing but the sink.
  void start(Interval queries, const OnlineSoftmax& sink);

  /// The queries of one panel, and what is known of them.
  struct Panel {
    Interval queries;
    float *m, *l, *OT;  ///< [32], [32], [value_dim][32]
    float* of_keys;     ///< [32]: the largest score of a key; null if nobody asks
    bool fixed;         ///< m is no maximum, and does not change
  };
  Interval queries() const { return queries_; }
  index value_dim() const { return value_dim_; }
  index panels() const { return panels_of(queries_.count()); }
  Panel panel(index number);
  /// Brings one panel back to its beginning.
  void restart(index number, const OnlineSoftmax& sink);
  /// Scores of queries before `end` refer to m_of(query) from here on, whether they exceed it or not. Before the first
  /// key, and without a sink.
  template <class MaximumOf>
  void fix(index end, const MaximumOf& m_of);
  /// The maxima of one panel become `largest` [32], and its sums shrink.
  void raise(index number, const float* largest);

 private:
  index value_dim_;
  Interval queries_;
  bool fixed_ = false, keeps_maxima_;
  Allocation<float> m_, l_, o_, of_keys_;
};

template <class MaximumOf>
void AttendState::fix(index end, const MaximumOf& m_of) {
  fixed_ = true;
  for (index p = 0; p < panels(); ++p) {
    const Panel at = panel(p);
    std::fill_n(at.m, panel_queries, 0.0f);
    for (index query = at.queries.first; query <= at.queries.last && query < end; ++query)
      at.m[query - at.queries.first] = m_of(query);
  }
}

}  // namespace attestone::inline backends
