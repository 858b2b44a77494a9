// SPDX-License-Identifier: Apache-2.0
// Copying a file into memory, and asking whether it is still the same.
#include "backends/plugins/shared_library/library_copy.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <elf.h>
#include <fcntl.h>
#include <tuple>
#include <unistd.h>
#include <xxhash.h>

#include "reference/user_error.hpp"

namespace attestone::inline backends {
namespace {

auto identity(const struct stat& file) {
  return std::tuple(file.st_dev, file.st_ino, file.st_size, file.st_mtim.tv_sec, file.st_mtim.tv_nsec);
}

/// Before it takes as much memory as the file is long.
void expect_library(int file, const std::string& path) {
  std::array<char, SELFMAG> begin{};
  if (pread(file, begin.data(), begin.size(), 0) != SELFMAG || std::memcmp(begin.data(), ELFMAG, SELFMAG) != 0)
    throw UserError(path + " is no shared library: invalid ELF header");
}

}  // namespace

LibraryCopy::LibraryCopy(const std::string& path) : path_(path) {
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0 && errno != ENOENT) throw UserError("cannot read " + path + ": " + strerror(errno));
  if (file.get() < 0 || fstat(file.get(), &first_) != 0 || !S_ISREG(first_.st_mode))
    throw UserError("there is no file " + path);
  expect_library(file.get(), path);
  copy_ = std::make_unique<SharedFile>(std::max<index>(first_.st_size, 1));
  const auto bytes = copy_->bytes().first(static_cast<std::size_t>(first_.st_size));
  std::size_t done = 0;
  for (ssize_t got = 1; done < bytes.size() && got > 0; done += static_cast<std::size_t>(std::max<ssize_t>(got, 0)))
    got = read(file.get(), bytes.data() + done, bytes.size() - done);
  if (done < bytes.size()) throw UserError("cannot read " + path + ": it changes while it is read");
  copy_->seal(true);
  fingerprint_ = XXH3_64bits(bytes.data(), bytes.size());
}

bool LibraryCopy::file_is_unchanged() const {
  struct stat now {};
  return stat(path_.c_str(), &now) == 0 && identity(now) == identity(first_);
}

}  // namespace attestone::inline backends
