// SPDX-License-Identifier: Apache-2.0
// Addresses of which only those pages are memory that somebody touches: for rows that lie gigabytes apart.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "reference/tensor/hollow_file.hpp"
#include "reference/tensor/row_map.hpp"

namespace attestone {

/// The stretches, which may overlap, as whole pages: rising, and apart from each other.
std::vector<ByteStretch> pages_of(std::vector<ByteStretch>);

/// Where elements of so many bits lie, in bytes from the first one on: neighbours together, rising.
std::vector<ByteStretch> element_stretches(const Extents& in_memory, const Strides&, int bits);

/// True if a tensor of so many bytes gets memory for the pages of its rows alone.
bool lies_far_apart(const Extents& in_memory, const Strides&, std::size_t bytes);

/// The gaps between rows that lie far apart: guards within the pages of rows, and nothing elsewhere.
class SparseGaps {
 public:
  /// `elements` are rising and apart; the pages of `others` are guarded as well.
  SparseGaps(std::vector<ByteStretch> elements, std::span<const ByteStretch> others);

  /// The pages of rows, whole.
  const std::vector<ByteStretch>& pages() const { return pages_; }
  std::size_t page_bytes() const { return total_bytes(pages_); }

  /// Calls visit(begin, end) for the guarded stretches, until it returns false; whether it never did.
  template <class Visit>
  bool for_each_guarded(Visit visit) const {
    auto element = elements_.begin();
    for (const ByteStretch& page : pages_) {
      std::size_t from = page.begin;
      for (; element != elements_.end() && element->begin < page.end; ++element) {
        if (from < element->begin && !visit(from, element->begin)) return false;
        from = std::max(from, element->end);
      }
      if (from < page.end && !visit(from, page.end)) return false;
    }
    return true;
  }
  /// True if nothing was written outside of the pages: of the touched stretches of memory that begins here.
  bool nothing_elsewhere(const std::byte* begin, std::span<const ByteStretch> touched) const;

 private:
  std::vector<ByteStretch> elements_, pages_;
};

/// Memory of zeros, taken page by page.
class SparseMemory {
 public:
  /// SystemFailure if the system denies so many addresses.
  SparseMemory(std::size_t bytes, SparseGaps);
  ~SparseMemory();
  SparseMemory(const SparseMemory&) = delete;
  SparseMemory& operator=(const SparseMemory&) = delete;

  std::byte* begin() const { return file_.begin(); }
  const SparseGaps& gaps() const { return gaps_; }
  std::vector<ByteStretch> touched() const { return file_.touched(); }

 private:
  SparseGaps gaps_;
  HollowFile file_;
};

}  // namespace attestone
