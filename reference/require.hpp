// SPDX-License-Identifier: Apache-2.0
// Stop: what to do when we ourselves are wrong. Active in release builds.
#pragma once

#include <stdexcept>
#include <string>

namespace attestone {

/// Our own mistake: an assumption of this library did not hold. Never the fault of a user or of a kernel.
class BrokenAssumption : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

/// Stops with BrokenAssumption unless `condition` holds; `assumed` says in words what was taken for granted.
inline void require(bool condition, const char* assumed) {
  if (!condition) throw BrokenAssumption(std::string("attestone assumed that ") + assumed + ", and was wrong");
}

}  // namespace attestone
