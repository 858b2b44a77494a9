// SPDX-License-Identifier: Apache-2.0
// Mapping, and taking away again.
#include "backends/plugins/worker/mapping.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "backends/plugins/worker/system_call.hpp"

namespace attestone::inline backends::worker {
namespace {

constexpr std::size_t most_reserved = std::size_t{1} << 40;
constexpr std::size_t least_reserved = std::size_t{1} << 30;
// Between the two places: no tensor of one begins where one of the other does.
constexpr std::size_t shift = 16 * static_cast<std::size_t>(wire::page);
// At both ends, never used: the filter compares addresses in units of 64 KiB, and a neighbour may be mapped anew.
constexpr std::size_t margin = std::size_t{1} << 20;

constexpr auto canary = static_cast<std::byte>(wire::canary);

[[noreturn]] void give_up(const char* what) {
  std::perror(what);
  std::_Exit(EXIT_FAILURE);
}

/// Maps over what is there, by the worker's own call; whether that was done.
bool map_over(std::byte* at, std::size_t bytes, int access, int flags, int descriptor, std::int64_t offset) {
  const long got = system_call(SYS_mmap, as_argument(at), static_cast<long>(bytes), access, flags | MAP_FIXED,
                               descriptor, static_cast<long>(offset));
  if (got >= 0 || got < -4095) return true;
  errno = static_cast<int>(-got);
  return false;
}

}  // namespace

// Above heaps, below programs, libraries and stacks, and within what the address sanitizer calls memory.
std::byte* Mapping::apart() {
  constexpr std::uintptr_t address = std::uintptr_t{1} << 45;
  return reinterpret_cast<std::byte*>(address);  // NOLINT(performance-no-int-to-ptr): a wish, nothing is there yet
}

Mapping::Mapping() {
  for (std::size_t bytes = most_reserved; bytes >= least_reserved; bytes /= 2) {
    void* const got = mmap(apart(), bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (got == MAP_FAILED) continue;
    reserved_ = static_cast<std::byte*>(got);
    reserved_bytes_ = bytes;
    return;
  }
  give_up("attestone worker: reserving addresses");
}

// Multiples of 64 KiB, well within the margins.
const std::byte* Mapping::begin() const {
  constexpr std::size_t unit = 1 << 16;
  return reserved_ + margin / 2 + (unit - (reinterpret_cast<std::uintptr_t>(reserved_) + margin / 2) % unit) % unit;
}
const std::byte* Mapping::end() const { return begin() + reserved_bytes_ - margin; }

void Mapping::show(const wire::Region& region, int descriptor) {
  const int access = region.file == wire::inputs ? PROT_READ : PROT_READ | PROT_WRITE;
  if (!map_over(files_[region.file] + region.first_page, static_cast<std::size_t>(region.pages_bytes), access,
                MAP_SHARED, descriptor, region.first_page))
    give_up("attestone worker: mapping a tensor");
}

Mapping::Shown Mapping::show(const wire::Call& call, const int files[wire::shared_files]) {
  const std::size_t room = reserved_bytes_ - 2 * margin - shift;
  if (static_cast<std::size_t>(call.file_bytes[wire::inputs]) > room ||
      static_cast<std::size_t>(call.file_bytes[wire::outputs]) >
          room - static_cast<std::size_t>(call.file_bytes[wire::inputs])) {
    shown_bytes_ = 0;
    return Shown::no_room;
  }
  std::byte* at = reserved_ + margin + (call.place == 0 ? 0 : shift);
  for (int file = 0; file < wire::file_count; ++file) {
    files_[file] = at;
    at += call.file_bytes[file];
  }
  shown_bytes_ = static_cast<std::size_t>(at - files_[0]);
  workspace_ = call.workspace_memory;
  if (shown_bytes_ > room) return Shown::no_memory;
  for (const wire::TensorPlace& tensor : call.tensors)
    if (tensor.region.present) show(tensor.region, files[tensor.region.file]);
  show(call.problem_text, files[call.problem_text.file]);
  if (!workspace_.present) return Shown::all;
  std::byte* const pages = files_[wire::workspace] + workspace_.first_page;
  if (!map_over(pages, static_cast<std::size_t>(workspace_.pages_bytes), PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))
    return Shown::no_memory;
  std::memset(pages, wire::canary, static_cast<std::size_t>(workspace_.pages_bytes));
  std::memset(address_of(workspace_), wire::poison, static_cast<std::size_t>(workspace_.bytes));
  return Shown::all;
}

bool Mapping::workspace_intact() const {
  if (!workspace_.present) return true;
  const std::byte* const file = files_[wire::workspace];
  const auto intact = [](std::byte byte) { return byte == canary; };
  return std::all_of(file + workspace_.first_page, file + workspace_.begin, intact) &&
         std::all_of(file + workspace_.begin + workspace_.bytes, file + workspace_.first_page + workspace_.pages_bytes,
                     intact);
}

void Mapping::hide() {
  if (shown_bytes_ > 0 &&
      !map_over(files_[0], shown_bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0))
    give_up("attestone worker: taking the tensors away");
}

std::byte* Mapping::address_of(const wire::Region& region) const {
  return region.present ? files_[region.file] + region.begin : nullptr;
}

}  // namespace attestone::inline backends::worker
