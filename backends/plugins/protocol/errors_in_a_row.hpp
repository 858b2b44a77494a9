// SPDX-License-Identifier: Apache-2.0
// Errors right behind each other: which of them may be no more than what an earlier one left behind.
#pragma once

#include <string>

#include "reference/shape.hpp"

namespace attestone::inline backends {

/// A process may answer errors alone once a call went wrong in it, as CUDA does after an illegal access, whatever it is
/// asked. The first error stands: something went wrong. One right behind another is asked again in a new process, and
/// stands if it comes there too.
class ErrorsInARow {
 public:
  void answered() { *this = {}; }
  /// After an error: whether the same is to be asked of a new process. Once for each problem; and seldom where new
  /// processes, which may take seconds to start, have often erred as well.
  bool may_be_inherited(const std::string& problem);

 private:
  index errors_ = 0;              ///< since something was answered
  index problems_ = 0;            ///< that were, or could have been, asked again since then
  std::string asked_again_ = {};  ///< the last of them
};

}  // namespace attestone::inline backends
