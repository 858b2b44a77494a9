// SPDX-License-Identifier: Apache-2.0
// Which bytes of nearly empty memory belong to rows, and which to nobody.
#include "reference/tensor/sparse_memory.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <unistd.h>
#include <utility>

namespace attestone {
namespace {

std::size_t page_size() {
  static const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

// Below, memory for all that lies between the rows costs little.
constexpr std::size_t far_from = std::size_t{1} << 28;
// Rows lie far apart if the pages that they touch hold fewer than one byte in so many.
constexpr std::size_t far_share = 4;

}  // namespace

std::vector<ByteStretch> pages_of(std::vector<ByteStretch> stretches) {
  const std::size_t page = page_size();
  std::ranges::sort(stretches, {}, &ByteStretch::begin);
  std::vector<ByteStretch> pages;
  for (const ByteStretch& stretch : stretches) {
    const ByteStretch whole{stretch.begin / page * page, (stretch.end + page - 1) / page * page};
    if (!pages.empty() && whole.begin <= pages.back().end)
      pages.back().end = std::max(pages.back().end, whole.end);
    else
      pages.push_back(whole);
  }
  return pages;
}

std::vector<ByteStretch> element_stretches(const Extents& in_memory, const Strides& strides, int bits) {
  struct Axis {
    index count, stride;
  };
  std::array<Axis, 4> axes;
  for (std::size_t axis = 0; axis < axes.size(); ++axis)
    axes[axis] = {in_memory[axis], in_memory[axis] == 1 ? 0 : strides[axis]};
  std::ranges::sort(axes, std::greater(), &Axis::stride);
  index run = 1;  // elements without a gap: those of the last axes, if they continue one another
  for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis)
    if (axis->count == 1 || axis->stride == run) run *= std::exchange(axis->count, 1);

  std::vector<ByteStretch> all;
  if (run == 0) return all;
  const auto bytes = [bits](index elements) { return static_cast<std::size_t>((elements * bits + 7) / 8); };
  for (index i = 0; i < axes[0].count; ++i)
    for (index j = 0; j < axes[1].count; ++j)
      for (index k = 0; k < axes[2].count; ++k)
        for (index l = 0; l < axes[3].count; ++l) {
          const index first = i * axes[0].stride + j * axes[1].stride + k * axes[2].stride + l * axes[3].stride;
          all.push_back({static_cast<std::size_t>(first * bits / 8), bytes(first + run)});
        }
  if (!std::ranges::is_sorted(all, {}, &ByteStretch::begin)) std::ranges::sort(all, {}, &ByteStretch::begin);
  return all;
}

bool lies_far_apart(const Extents& in_memory, const Strides& strides, std::size_t bytes) {
  if (bytes < far_from) return false;
  const index runs = in_memory[0] * in_memory[1] * in_memory[2] * (strides[3] == 1 ? 1 : in_memory[3]);
  const index run = strides[3] == 1 ? in_memory[3] : 1;
  constexpr index widest_code = 8;
  const std::size_t of_a_run = static_cast<std::size_t>(run * widest_code) + 2 * page_size();
  return static_cast<std::size_t>(runs) < bytes / of_a_run / far_share;
}

SparseMemory::SparseMemory(std::size_t bytes, SparseGaps gaps)
    : gaps_(std::move(gaps)), file_(HollowFiles::unused().take(pages_of({{0, bytes}}).front().end, gaps_.pages())) {}

SparseMemory::~SparseMemory() { HollowFiles::unused().keep(std::move(file_), gaps_.pages()); }

SparseGaps::SparseGaps(std::vector<ByteStretch> elements, std::span<const ByteStretch> others)
    : elements_(std::move(elements)) {
  std::vector<ByteStretch> all = elements_;
  all.insert(all.end(), others.begin(), others.end());
  pages_ = pages_of(std::move(all));
}

bool SparseGaps::nothing_elsewhere(const std::byte* begin, std::span<const ByteStretch> touched) const {
  const auto is_zero = [&](std::size_t from, std::size_t to) {
    return std::all_of(begin + from, begin + to, [](std::byte byte) { return byte == std::byte{0}; });
  };
  for (const ByteStretch& stretch : touched) {
    std::size_t from = stretch.begin;
    auto page = std::ranges::upper_bound(pages_, from, {}, &ByteStretch::end);
    for (; page != pages_.end() && page->begin < stretch.end; ++page) {
      if (from < page->begin && !is_zero(from, page->begin)) return false;
      from = std::max(from, page->end);
    }
    if (from < stretch.end && !is_zero(from, stretch.end)) return false;
  }
  return true;
}

}  // namespace attestone
