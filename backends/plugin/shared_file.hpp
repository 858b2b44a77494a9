// SPDX-License-Identifier: Apache-2.0
// Memory that another process can map: anonymous, gone with its last user.
#pragma once

#include <cstddef>
#include <span>

#include "backends/plugin/descriptor.hpp"
#include "reference/shape.hpp"

namespace attestone {

/// Memory without a name that two processes share.
class SharedFile {
 public:
  /// At least one byte. std::system_error if there is not so much memory.
  explicit SharedFile(index bytes);
  ~SharedFile();
  SharedFile(const SharedFile&) = delete;
  SharedFile& operator=(const SharedFile&) = delete;

  std::span<std::byte> bytes() const { return bytes_; }
  int descriptor() const { return descriptor_.get(); }
  /// From now on only bytes() can write: nobody maps these bytes for writing any more.
  void seal();

 private:
  Descriptor descriptor_;
  std::span<std::byte> bytes_;
};

}  // namespace attestone
