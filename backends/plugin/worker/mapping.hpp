// SPDX-License-Identifier: Apache-2.0
// The worker's view of shared memory: regions of two files at fixed addresses, with nothing between them.
#pragma once

#include <cstddef>

#include "backends/plugin/wire.hpp"

namespace attestone::worker {

/// A stretch of addresses, reserved for good, into which each call's files are mapped and from which they vanish.
class Mapping {
 public:
  /// Stops the process if no addresses are to be had.
  Mapping();

  /// Maps the regions of the call, inputs read-only. Successive calls of one shape find the same addresses, or, with
  /// the other place, others. Stops the process if that fails.
  void show(const wire::Call&, const int files[2]);
  /// Nothing of the last call can be touched any more.
  void hide();

  std::byte* address_of(const wire::Region&) const;
  /// Where the files of the last call lie.
  std::byte* file(int number) const { return files_[number]; }

 private:
  void show(const wire::Region&, int descriptor);

  std::byte* reserved_ = nullptr;
  std::size_t reserved_bytes_ = 0;
  std::byte* files_[2] = {};
  std::size_t shown_bytes_ = 0;  ///< of both files together
};

}  // namespace attestone::worker
