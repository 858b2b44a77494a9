// SPDX-License-Identifier: Apache-2.0
// A copy of a library as first found, whatever becomes of its file.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <sys/stat.h>

#include "backends/plugins/process/shared_file.hpp"

namespace attestone::inline backends {

/// A copy of a library's file, for the case that the file changes or vanishes while the library is judged.
class LibraryCopy {
 public:
  /// UserError if there is no such file, or it cannot be read.
  explicit LibraryCopy(const std::string& path);

  /// The path as it was given.
  const std::string& path() const { return path_; }
  /// The hash of the content; nobody can choose it.
  std::uint64_t fingerprint() const { return fingerprint_; }
  /// True if the file is still the one that was copied.
  bool file_is_unchanged() const;
  int descriptor() const { return copy_->descriptor(); }

 private:
  std::string path_;
  struct stat first_ {};
  std::uint64_t fingerprint_ = 0;
  std::unique_ptr<SharedFile> copy_;
};

}  // namespace attestone::inline backends
