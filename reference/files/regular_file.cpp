// SPDX-License-Identifier: Apache-2.0
// Looking before opening.
#include "reference/files/regular_file.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "reference/system_failure.hpp"
#include "reference/user_error.hpp"

namespace attestone {
namespace {

[[noreturn]] void throw_unread(const std::string& name, int error) {
  if (error == EMFILE || error == ENFILE || error == ENOMEM || error == EIO)
    throw SystemFailure(fmt::format("{} cannot be read: {}", name, std::strerror(error)));
  if (error == ENOENT) throw UserError(name + ": there is no such file");
  throw UserError(fmt::format("{}: the file cannot be read: {}", name, std::strerror(error)));
}

void check_kind(const std::string& name, const struct stat& found) {
  if (S_ISREG(found.st_mode)) return;
  const char* what = S_ISDIR(found.st_mode)    ? "a folder"
                     : S_ISFIFO(found.st_mode) ? "a pipe"
                     : S_ISSOCK(found.st_mode) ? "a socket"
                                               : "a device";
  throw UserError(fmt::format("{}: this is {}, not a file", name, what));
}

}  // namespace

RegularFile::RegularFile(const std::filesystem::path& path) : name_(path.string()), descriptor_(-1) {
  struct stat found {};
  if (stat(path.c_str(), &found) < 0) throw_unread(name_, errno);
  check_kind(name_, found);
  // A file that has become a pipe since is not waited for either.
  descriptor_ = open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (descriptor_ < 0) throw_unread(name_, errno);
  if (fstat(descriptor_, &found) < 0 || !S_ISREG(found.st_mode)) {
    close(descriptor_);
    throw UserError(name_ + ": the file cannot be read");
  }
  size_ = static_cast<std::uint64_t>(found.st_size);
}

RegularFile::~RegularFile() { close(descriptor_); }

void RegularFile::read(std::span<std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::read(descriptor_, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw_unread(name_, errno);
    if (count == 0) throw UserError(name_ + ": the file cannot be read: it has become shorter");
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
}

std::string read_text(const std::filesystem::path& path, std::uint64_t most_bytes) {
  RegularFile file(path);
  if (file.size() > most_bytes)
    throw UserError(
        fmt::format("{}: {} bytes are more than such a file may have, {}", path.string(), file.size(), most_bytes));
  std::string text(file.size(), '\0');
  file.read(std::as_writable_bytes(std::span(text)));
  return text;
}

}  // namespace attestone
