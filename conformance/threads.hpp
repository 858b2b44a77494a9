// SPDX-License-Identifier: Apache-2.0
// Another number of threads, for a while.
#pragma once

#include <array>
#include <omp.h>

namespace attestone {

/// OpenMP's number of threads is `count` while this lives.
class Threads {
 public:
  explicit Threads(int count) : before_(omp_get_max_threads()) { omp_set_num_threads(count); }
  ~Threads() { omp_set_num_threads(before_); }
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

  /// As many as now, one, and two.
  static std::array<int, 3> worth_trying() { return {omp_get_max_threads(), 1, 2}; }

 private:
  int before_;
};

}  // namespace attestone
