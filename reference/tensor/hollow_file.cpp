// SPDX-License-Identifier: Apache-2.0
// Mapping nearly empty files, and keeping a few of them for the next who asks.
#include "reference/tensor/hollow_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "reference/system_failure.hpp"

namespace attestone {
namespace {

// Limits of the files kept: some megabytes in pages, and one address in eight of those that a process has.
constexpr std::size_t most_files = 32, most_page_bytes = std::size_t{1} << 20, most_addresses = std::size_t{1} << 39;

/// Somebody has limited this process: what it does not use it gives back.
bool addresses_are_limited() {
  rlimit limit;
  return getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur != RLIM_INFINITY;
}

}  // namespace

std::size_t total_bytes(const std::vector<ByteStretch>& stretches) {
  std::size_t bytes = 0;
  for (const ByteStretch& stretch : stretches) bytes += stretch.end - stretch.begin;
  return bytes;
}

std::vector<ByteStretch> touched_stretches(int descriptor, std::size_t begin, std::size_t end) {
  std::vector<ByteStretch> touched;
  for (std::size_t at = begin; at < end;) {
    const off_t from = lseek(descriptor, static_cast<off_t>(at), SEEK_DATA);
    if (from < 0 || static_cast<std::size_t>(from) >= end) break;
    const auto to = std::min(static_cast<std::size_t>(lseek(descriptor, from, SEEK_HOLE)), end);
    touched.push_back({static_cast<std::size_t>(from), to});
    at = to;
  }
  return touched;
}

HollowFile::HollowFile(std::size_t bytes)
    : bytes_(bytes), descriptor_(memfd_create("attestone rows far apart", MFD_CLOEXEC)) {
  const auto check = [&](bool done) {
    if (done) return;
    const std::string why = strerror(errno);
    if (descriptor_ >= 0) close(descriptor_);
    throw SystemFailure(fmt::format("reserving {} bytes of addresses for rows that lie far apart: {}", bytes, why));
  };
  check(descriptor_ >= 0);
  check(ftruncate(descriptor_, static_cast<off_t>(bytes_)) == 0);
  void* const got = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, descriptor_, 0);
  check(got != MAP_FAILED);
  begin_ = static_cast<std::byte*>(got);
}

HollowFile::~HollowFile() {
  if (!begin_) return;
  munmap(begin_, bytes_);
  close(descriptor_);
}

HollowFiles& HollowFiles::unused() {
  static HollowFiles all;
  return all;
}

HollowFile HollowFiles::take(std::size_t bytes, const std::vector<ByteStretch>& pages) {
  std::list<Kept> found;
  {
    const std::lock_guard lock(mutex_);
    const auto same = std::ranges::find_if(
        kept_, [&](const Kept& kept) { return kept.file.bytes() == bytes && kept.pages == pages; });
    if (same != kept_.end()) found.splice(found.end(), kept_, same);
  }
  if (found.empty()) return HollowFile(bytes);
  HollowFile file = std::move(found.front().file);
  for (const ByteStretch& stretch : pages) std::memset(file.begin() + stretch.begin, 0, stretch.end - stretch.begin);
  return file;
}

void HollowFiles::keep(HollowFile file, std::vector<ByteStretch> pages) {
  if (file.bytes() > most_addresses || total_bytes(pages) > most_page_bytes || file.touched() != pages ||
      addresses_are_limited())
    return;
  std::list<Kept> added, oldest;
  added.push_back({std::move(file), std::move(pages)});
  const std::lock_guard lock(mutex_);
  kept_.splice(kept_.end(), added);
  if (kept_.size() > most_files) oldest.splice(oldest.end(), kept_, kept_.begin());
}

}  // namespace attestone
