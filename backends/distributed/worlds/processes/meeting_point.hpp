// SPDX-License-Identifier: Apache-2.0
// Where processes of one user on one machine find each other: a socket whose name lies in no folder, and vanishes with
// its last user.
#pragma once

#include <optional>
#include <string>

#include "backends/plugins/process/descriptor.hpp"

namespace attestone::inline backends {

/// The end that waits for others.
class MeetingPoint {
 public:
  /// SystemFailure if the machine has no descriptors left.
  MeetingPoint();

  /// Random: what others need to know.
  const std::string& name() const { return name_; }
  /// Readable when somebody has come.
  int descriptor() const { return socket_.get(); }
  /// The next one of the same user who has come; nothing if there is none.
  std::optional<Descriptor> next();

 private:
  std::string name_;
  Descriptor socket_;
};

/// A connection to the meeting point of this name; none if there is no such point.
Descriptor meet(const std::string& name);

}  // namespace attestone::inline backends
