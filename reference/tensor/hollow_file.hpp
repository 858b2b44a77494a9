// SPDX-License-Identifier: Apache-2.0
// A file without a name that is nearly all holes, in memory: only the pages that somebody touches exist.
#pragma once

#include <cstddef>
#include <list>
#include <mutex>
#include <utility>
#include <vector>

namespace attestone {

/// Bytes from `begin` to before `end`.
struct ByteStretch {
  std::size_t begin = 0, end = 0;
  bool operator==(const ByteStretch&) const = default;
};

/// The total size of stretches that do not overlap.
std::size_t total_bytes(const std::vector<ByteStretch>&);

/// The stretches of an open file that hold memory, between two offsets that are multiples of a page.
std::vector<ByteStretch> touched_stretches(int descriptor, std::size_t begin, std::size_t end);

/// Zeros that take memory only where they are written, at an address.
class HollowFile {
 public:
  /// Whole pages. SystemFailure if the system denies so many addresses.
  explicit HollowFile(std::size_t bytes);
  HollowFile(HollowFile&& other) noexcept
      : bytes_(other.bytes_), descriptor_(other.descriptor_), begin_(std::exchange(other.begin_, nullptr)) {}
  HollowFile& operator=(HollowFile&&) = delete;
  ~HollowFile();

  std::size_t bytes() const { return bytes_; }
  std::byte* begin() const { return begin_; }
  std::vector<ByteStretch> touched() const { return touched_stretches(descriptor_, 0, bytes_); }

 private:
  std::size_t bytes_;
  int descriptor_;
  std::byte* begin_;  // null once it has been moved from
};

/// Files that nobody uses any more: the tensors of the next call have their rows where those of the last one had them,
/// and to give pages back costs more than to clear them, as every processor must forget where they were.
class HollowFiles {
 public:
  static HollowFiles& unused();

  /// One of zeros, of which these pages, if any, have been touched.
  HollowFile take(std::size_t bytes, const std::vector<ByteStretch>& pages);
  /// Keeps it, if these are the pages that were touched and all of this stays small.
  void keep(HollowFile, std::vector<ByteStretch> pages);

 private:
  struct Kept {
    HollowFile file;
    std::vector<ByteStretch> pages;
  };
  std::mutex mutex_;  // of what follows
  std::list<Kept> kept_;
};

}  // namespace attestone
