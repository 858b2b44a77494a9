// SPDX-License-Identifier: Apache-2.0
// Mapping, and taking away again.
#include "backends/plugin/worker/mapping.hpp"

#include <cstdio>
#include <cstdlib>
#include <sys/mman.h>

namespace attestone::worker {
namespace {

constexpr std::size_t most_reserved = std::size_t{1} << 40;
constexpr std::size_t least_reserved = std::size_t{1} << 30;
// Between the two places: no tensor of one begins where one of the other does.
constexpr std::size_t shift = 16 * static_cast<std::size_t>(wire::page);

[[noreturn]] void give_up(const char* what) {
  std::perror(what);
  std::_Exit(EXIT_FAILURE);
}

void* reserve(void* at, std::size_t bytes) {
  const int fixed = at ? MAP_FIXED : 0;
  return mmap(at, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | fixed, -1, 0);
}

}  // namespace

Mapping::Mapping() {
  for (std::size_t bytes = most_reserved; bytes >= least_reserved; bytes /= 2) {
    void* const got = reserve(nullptr, bytes);
    if (got == MAP_FAILED) continue;
    reserved_ = static_cast<std::byte*>(got);
    reserved_bytes_ = bytes;
    return;
  }
  give_up("attestone worker: reserving addresses");
}

void Mapping::show(const wire::Region& region, int descriptor) {
  if (!region.present) return;
  const int access = region.file == 0 ? PROT_READ : PROT_READ | PROT_WRITE;
  const auto bytes = static_cast<std::size_t>(region.pages_bytes);
  if (mmap(files_[region.file] + region.first_page, bytes, access, MAP_SHARED | MAP_FIXED, descriptor,
           region.first_page) == MAP_FAILED)
    give_up("attestone worker: mapping a tensor");
}

void Mapping::show(const wire::Call& call, const int files[2]) {
  const std::size_t from = call.place == 0 ? 0 : shift;
  shown_bytes_ = static_cast<std::size_t>(call.file_bytes[0] + call.file_bytes[1]);
  if (from + shown_bytes_ > reserved_bytes_) give_up("attestone worker: the tensors are too large");
  files_[0] = reserved_ + from;
  files_[1] = files_[0] + call.file_bytes[0];
  for (const wire::TensorPlace& tensor : call.tensors) show(tensor.region, files[tensor.region.file]);
  show(call.workspace, files[call.workspace.file]);
  show(call.problem_text, files[call.problem_text.file]);
}

void Mapping::hide() {
  if (shown_bytes_ > 0 && reserve(files_[0], shown_bytes_) == MAP_FAILED)
    give_up("attestone worker: taking the tensors away");
}

std::byte* Mapping::address_of(const wire::Region& region) const {
  return region.present ? files_[region.file] + region.begin : nullptr;
}

}  // namespace attestone::worker
