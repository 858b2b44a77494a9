// SPDX-License-Identifier: Apache-2.0
// memfd_create, mmap and seals.
#include "backends/plugins/process/shared_file.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include "backends/plugins/process/process_tree.hpp"
#include "reference/system_failure.hpp"

namespace attestone::inline backends {
namespace {

void check(bool done, const char* what, index bytes) {
  if (!done) throw SystemFailure(fmt::format("{} of {} bytes: {}", what, bytes, strerror(errno)));
}

constexpr index always_there = 16 << 20;

/// The memory that is still available, in bytes; all of it where the machine does not say.
index available_bytes() {
  constexpr index kibibyte = 1024;
  const std::string text = proc_text("/proc/meminfo"), name = "\nMemAvailable:";
  const std::size_t at = text.find(name);
  if (at == std::string::npos) return index{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE);
  return std::atoll(text.c_str() + at + name.size()) * kibibyte;
}

/// Asking for more than there is would not fail: the system would end processes, whosever they are, until there is so
/// much.
void check_that_there_is(index bytes) {
  if (bytes > always_there && bytes > available_bytes())
    throw SystemFailure(
        fmt::format("taking shared memory of {} bytes: this machine has {} left", bytes, available_bytes()));
}

}  // namespace

SharedFile::SharedFile(index bytes, const std::vector<Part>& parts)
    : descriptor_(memfd_create("attestone", MFD_CLOEXEC | MFD_ALLOW_SEALING)) {
  for (const Part& part : parts) taken_bytes_ += part.bytes;
  check_that_there_is(taken_bytes_);
  check(descriptor_.get() >= 0 && ftruncate(descriptor_.get(), bytes) == 0, "making shared memory", bytes);
  // Where there is not so much memory, that shows now, and not as a signal later.
  for (const Part& part : parts) {
    int done = 0;
    while ((done = fallocate(descriptor_.get(), 0, part.first, part.bytes)) != 0 && errno == EINTR) continue;
    check(done == 0, "taking shared memory", part.bytes);
  }
  const auto size = static_cast<std::size_t>(bytes);
  void* const begin = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, descriptor_.get(), 0);
  check(begin != MAP_FAILED, "mapping shared memory", bytes);
  bytes_ = {static_cast<std::byte*>(begin), size};
}

SharedFile::~SharedFile() { munmap(bytes_.data(), bytes_.size()); }

void SharedFile::seal(bool only_bytes_writes) {
  const int seals = F_SEAL_SHRINK | F_SEAL_GROW | (only_bytes_writes ? F_SEAL_FUTURE_WRITE : 0) | F_SEAL_SEAL;
  check(fcntl(descriptor_.get(), F_ADD_SEALS, seals) == 0, "sealing shared memory", std::ssize(bytes_));
}

}  // namespace attestone::inline backends
