// SPDX-License-Identifier: Apache-2.0
// Seeing from outside that a worker's call has returned: its thread waits again where it waited before any foreign code
// ran.
#pragma once

#include <string>
#include <sys/types.h>

#include "backends/plugins/process/descriptor.hpp"

namespace attestone::inline backends {

/// The place where the first thread of a worker waits for calls: the system call with all its arguments, the stack
/// pointer and the instruction. A kernel can write replies of its own, but to be at that place is to have returned.
class WaitingPlace {
 public:
  WaitingPlace() = default;
  /// Learns the place from a worker that has not loaded its library yet. Where the system does not tell, every answer
  /// of is_there() is yes.
  explicit WaitingPlace(pid_t worker);

  bool is_known() const { return !place_.empty(); }
  /// True if the thread waits there now.
  bool is_there() const;

 private:
  std::string now() const;

  Descriptor file_;
  std::string place_;
};

}  // namespace attestone::inline backends
