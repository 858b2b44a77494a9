// SPDX-License-Identifier: Apache-2.0
// Memory that another process can map: anonymous, gone with its last user.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "backends/plugins/process/descriptor.hpp"
#include "reference/shape.hpp"

namespace attestone::inline backends {

/// Memory without a name that two processes share.
class SharedFile {
 public:
  /// Bytes of it that are taken at once.
  struct Part {
    index first = 0, bytes = 0;
  };
  /// At least one byte. SystemFailure if there is not so much memory.
  explicit SharedFile(index bytes) : SharedFile(bytes, {{0, bytes}}) {}
  /// The rest is addresses, and becomes memory where somebody touches it.
  SharedFile(index bytes, const std::vector<Part>&);
  ~SharedFile();
  SharedFile(const SharedFile&) = delete;
  SharedFile& operator=(const SharedFile&) = delete;

  std::span<std::byte> bytes() const { return bytes_; }
  /// How many of them were taken.
  index taken_bytes() const { return taken_bytes_; }
  int descriptor() const { return descriptor_.get(); }
  /// From now on nobody changes the size; nor maps these bytes for writing, if only bytes() is to write.
  void seal(bool only_bytes_writes);

 private:
  Descriptor descriptor_;
  index taken_bytes_ = 0;
  std::span<std::byte> bytes_;
};

}  // namespace attestone::inline backends
