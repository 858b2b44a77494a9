// SPDX-License-Identifier: Apache-2.0
// A failure of the machine: neither a user's mistake nor a kernel's fault.
#pragma once

#include <stdexcept>

namespace attestone {

/// The system refused attestone itself what judging needs: memory, space, descriptors, processes. The message says what
/// and why. It accuses nobody; a run that meets it ends with status 3.
class SystemFailure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace attestone
