// SPDX-License-Identifier: Apache-2.0
// The worker's view of a call's memory: regions of the shared files and of its own, with nothing between them.
#pragma once

#include <cstddef>

#include "backends/plugins/protocol/wire.hpp"

namespace attestone::inline backends::worker {

/// A stretch of addresses, reserved for good, into which each call's files are mapped and from which they vanish.
class Mapping {
 public:
  /// Stops the process if no addresses are to be had.
  Mapping();

  /// Maps the regions of the call, inputs read-only, and poisons the workspace. Successive calls of one shape find the
  /// same addresses, or, with the other place, others. What else fails stops the process.
  enum class Shown {
    all,
    no_memory,  ///< for the workspace
    no_room     ///< fewer addresses than the tensors take
  };
  Shown show(const wire::Call&, const int files[wire::shared_files]);
  /// True if the bytes just before and after the workspace are as they were.
  bool workspace_intact() const;
  /// Nothing of the last call can be touched any more.
  void hide();

  std::byte* address_of(const wire::Region&) const;
  /// Where the first file of the last call lies.
  std::byte* files() const { return files_[0]; }

  /// True if the addresses are where no process maps anything by itself: rules about them (filter.hpp) reach the
  /// programs too that a kernel starts.
  bool lies_apart() const { return reserved_ == apart(); }
  /// The addresses in which nothing is ever mapped but by this.
  const std::byte* begin() const;
  const std::byte* end() const;

 private:
  static std::byte* apart();
  void show(const wire::Region&, int descriptor);

  std::byte* reserved_ = nullptr;
  std::size_t reserved_bytes_ = 0;
  std::byte* files_[wire::file_count] = {};
  std::size_t shown_bytes_ = 0;  ///< of all files together
  wire::Region workspace_;
};

}  // namespace attestone::inline backends::worker
