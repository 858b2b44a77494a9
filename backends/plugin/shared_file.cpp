// SPDX-License-Identifier: Apache-2.0
// memfd_create, mmap and seals.
#include "backends/plugin/shared_file.hpp"

#include <cerrno>
#include <fcntl.h>
#include <sys/mman.h>
#include <system_error>
#include <unistd.h>

namespace attestone {
namespace {

void check(bool done, const char* what) {
  if (!done) throw std::system_error(errno, std::generic_category(), what);
}

}  // namespace

SharedFile::SharedFile(index bytes) : descriptor_(memfd_create("attestone", MFD_CLOEXEC | MFD_ALLOW_SEALING)) {
  check(descriptor_.get() >= 0, "making shared memory");
  check(ftruncate(descriptor_.get(), bytes) == 0, "sizing shared memory");
  const auto size = static_cast<std::size_t>(bytes);
  void* const begin = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_.get(), 0);
  check(begin != MAP_FAILED, "mapping shared memory");
  bytes_ = {static_cast<std::byte*>(begin), size};
}

SharedFile::~SharedFile() { munmap(bytes_.data(), bytes_.size()); }

void SharedFile::seal() {
  check(fcntl(descriptor_.get(), F_ADD_SEALS, F_SEAL_FUTURE_WRITE | F_SEAL_SHRINK | F_SEAL_GROW) == 0,
        "sealing shared memory");
}

}  // namespace attestone
