// SPDX-License-Identifier: Apache-2.0
// Memory that another process can map: anonymous, gone with its last user.
#pragma once

#include <cstddef>
#include <span>

#include "backends/doors/process/descriptor.hpp"
#include "reference/shape.hpp"

namespace attestone {

/// Memory without a name that two processes share.
class SharedFile {
 public:
  /// At least one byte. SystemFailure if there is not so much memory.
  explicit SharedFile(index bytes);
  ~SharedFile();
  SharedFile(const SharedFile&) = delete;
  SharedFile& operator=(const SharedFile&) = delete;

  std::span<std::byte> bytes() const { return bytes_; }
  int descriptor() const { return descriptor_.get(); }
  /// From now on nobody changes the size; nor maps these bytes for writing, if only bytes() is to write.
  void seal(bool only_bytes_writes);

 private:
  Descriptor descriptor_;
  std::span<std::byte> bytes_;
};

}  // namespace attestone
