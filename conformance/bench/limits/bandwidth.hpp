// SPDX-License-Identifier: Apache-2.0
// Bytes a second that threads read and copy, from memory that lies beyond the last cache.
#pragma once

#include <cstddef>
#include <memory>
#include <new>

namespace attestone::inline conformance {

/// The largest cache that the system tells of, in bytes; 0 if it tells of none.
std::size_t last_cache_bytes();

/// Twice the last cache, at least 64 MiB, and at most an eighth of the memory.
std::size_t bytes_beyond_caches();

/// An array that is read and copied again and again. It is filled once, by the threads that read it.
class Bandwidth {
 public:
  /// Each of `threads` threads has its own part of about `bytes`.
  Bandwidth(int threads, std::size_t bytes);

  /// Bytes a second that are read.
  double read(double seconds = 0.02) const;
  /// Bytes a second that are read plus those written, from one half of each part to the other.
  double copy(double seconds = 0.02);

 private:
  /// Parts begin where the widest vectors may.
  static constexpr std::align_val_t alignment{128};
  struct AlignedDelete {
    void operator()(double* array) const { ::operator delete[](array, alignment); }
  };
  double* part(int thread) const { return array_.get() + count_ * static_cast<std::size_t>(thread); }

  int threads_;
  std::size_t count_;  ///< doubles of a thread
  std::unique_ptr<double[], AlignedDelete> array_;
};

}  // namespace attestone::inline conformance
