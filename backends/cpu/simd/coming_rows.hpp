// SPDX-License-Identifier: Apache-2.0
// Rows that are read next: they are fetched while there is something to compute, so that neither waits.
#pragma once

#include <algorithm>

#include "backends/cpu/simd/cache_lines.hpp"

namespace attestone::inline backends {

/// Rows whose channels are neighbours; by default none.
struct ComingRows {
  const std::byte* data = nullptr;
  index rows = 0, stride = 0, channels = 0, channel_bytes = 0;

  const std::byte* operator[](index row) const { return data + row * stride; }
  /// One of so many equal shares of the rows.
  ComingRows share(index number, index shares) const {
    const index first = number * rows / shares, end = (number + 1) * rows / shares;
    return {data + first * stride, end - first, stride, channels, channel_bytes};
  }
};

/// Fetches them in equal shares, one with each of so many blocks of work.
class SharedFetch {
 public:
  SharedFetch(const ComingRows& coming, index blocks) : coming_(coming), share_((coming.rows + blocks - 1) / blocks) {}

  void fetch_share() {
    for (const index end = std::min(next_ + share_, coming_.rows); next_ < end; ++next_)
      fetch_row<Cache::second>(coming_[next_], coming_.channels * coming_.channel_bytes);
  }

 private:
  const ComingRows& coming_;
  index share_, next_ = 0;
};

}  // namespace attestone::inline backends
