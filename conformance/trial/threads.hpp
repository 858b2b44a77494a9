// SPDX-License-Identifier: Apache-2.0
// Another number of threads, for a while.
#pragma once

#include <array>

namespace attestone::inline conformance {

/// OpenMP's number of threads in this thread is `count` while this lives.
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

/// The same for calls of a kernel whatever number its problem asks for.
class ForcedThreads {
 public:
  explicit ForcedThreads(int count);
  ~ForcedThreads();
  ForcedThreads(const ForcedThreads&) = delete;
  ForcedThreads& operator=(const ForcedThreads&) = delete;

  /// Whether one lives in this thread.
  static bool live();

 private:
  Threads threads_;
};

}  // namespace attestone::inline conformance
