// SPDX-License-Identifier: Apache-2.0
// What rapidcheck draws in our tests: the same in every run, something else each night, what RC_PARAMS says if it is
// set.
#pragma once

#include <cstdlib>
#include <string>

#include "tests/effort.hpp"

namespace attestone {

/// Read by rapidcheck before its first property; ./run nightly sets ATTESTONE_SEED to the date.
inline const int rapidcheck_is_seeded = [] {
  const char* set = std::getenv("ATTESTONE_SEED");
  const std::string seed = set ? set : "1";
  return setenv("RC_PARAMS", ("seed=" + seed + " max_success=" + std::to_string(effort(200, 5000))).c_str(), 0);
}();

}  // namespace attestone
