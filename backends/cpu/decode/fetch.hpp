// SPDX-License-Identifier: Apache-2.0
// How coming rows are dealt out to blocks of queries that read along the channels.
#pragma once

#include "backends/cpu/simd/coming_rows.hpp"

namespace attestone {

/// So many keys are worked on at a time, and so many of the coming rows are fetched meanwhile, each from another
/// quarter: memory gives more when it is asked for several pages at once.
constexpr int keys_abreast = 4;

/// The part of one block of queries in this: a line of each of its rows with every step along the channels.
class Fetch {
 public:
  /// The rows number `keys` of their quarters, dealt out to `blocks`, of which this is number `block`.
  Fetch(const ComingRows& coming, index keys, index block, index blocks) : channel_bytes_(coming.channel_bytes) {
    const index quarter = coming.rows / keys_abreast;
    if (keys >= quarter) return;
    for (index i = block; i < keys_abreast; i += blocks) rows_[count_++] = coming[i * quarter + keys];
  }

  void step(index channel) const {
    const index at = channel * channel_bytes_;
    if (at % cache_line_bytes != 0) return;
    for (int i = 0; i < count_; ++i) fetch_line<Cache::second>(rows_[i] + at);
  }

 private:
  const std::byte* rows_[keys_abreast];
  int count_ = 0;
  index channel_bytes_;
};

}  // namespace attestone
