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

  /// Thread counts worth trying: the current one, or a larger one chosen around this in the same thread; one; two.
  static std::array<int, 3> worth_trying();

 private:
  int before_, most_before_;
};

/// Sets the threads of a kernel's calls, whatever number its problem asks for.
class ForcedThreads {
 public:
  explicit ForcedThreads(int count);
  ~ForcedThreads();
  ForcedThreads(const ForcedThreads&) = delete;
  ForcedThreads& operator=(const ForcedThreads&) = delete;

  /// True if one lives in this thread.
  static bool live();

 private:
  Threads threads_;
};

}  // namespace attestone::inline conformance
