// SPDX-License-Identifier: Apache-2.0
// A file that a user names: what it is, how large it is, and its bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

namespace attestone {

/// A regular file, open for reading. Nothing else is opened: a pipe would be waited for, and a device has no size.
class RegularFile {
 public:
  /// UserError, which says what is there instead. SystemFailure if the machine cannot open one more file.
  explicit RegularFile(const std::filesystem::path&);
  ~RegularFile();
  RegularFile(const RegularFile&) = delete;
  RegularFile& operator=(const RegularFile&) = delete;

  std::uint64_t size() const { return size_; }
  /// Fills `bytes` with what follows. UserError if less does.
  void read(std::span<std::byte> bytes);

 private:
  std::string name_;
  int descriptor_;
  std::uint64_t size_ = 0;
};

/// The whole text of a regular file of at most `most_bytes`. UserError otherwise.
std::string read_text(const std::filesystem::path&, std::uint64_t most_bytes);

}  // namespace attestone
