// SPDX-License-Identifier: Apache-2.0
// Faults of an outside kernel, which may misbehave or refuse instead of answering.
#pragma once

#include <stdexcept>
#include <string>

namespace attestone::inline backends {

/// The kernel misbehaved, in a way that has a name: a verdict about the kernel, not an error of ours.
class KernelFault : public std::runtime_error {
 public:
  /// `reason` is the id of a verdict's reason: "hung", "crashed".
  KernelFault(std::string reason, const std::string& what) : std::runtime_error(what), reason_(std::move(reason)) {}
  const std::string& reason() const { return reason_; }

 private:
  std::string reason_;
};

/// The kernel does not take this problem, and says so only when it is called with it.
class KernelRefusal : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace attestone::inline backends
