// SPDX-License-Identifier: Apache-2.0
// Another number of threads, for a while.
#pragma once

#include <array>

namespace attestone {

/// OpenMP's number of threads is `count` while this lives.
class Threads {
 public:
  explicit Threads(int count);
  ~Threads();
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

  /// As many as now, or as anyone chose around this in the same thread if that is more; one, and two.
  static std::array<int, 3> worth_trying();

 private:
  int before_, most_before_;
};

}  // namespace attestone
