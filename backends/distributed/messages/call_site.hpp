// SPDX-License-Identifier: Apache-2.0
// Where in the source a call stands: std::source_location, which clang 14 lacks.
#pragma once

#include <string>

namespace attestone::inline backends {

/// Used as default of a function's last parameter, `CallSite = CallSite::current()` is where that function is called.
struct CallSite {
  const char* file = "";
  int line = 0;
  const char* function = "";

  static constexpr CallSite current(const char* file = __builtin_FILE(), int line = __builtin_LINE(),
                                    const char* function = __builtin_FUNCTION()) {
    return {file, line, function};
  }
  /// "ring.cpp:88 forward"
  std::string text() const;
};

}  // namespace attestone::inline backends
