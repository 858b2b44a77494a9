// SPDX-License-Identifier: Apache-2.0
// Whether an outside kernel computes with attestone: its right answers are no evidence then.
#pragma once

#include <sys/types.h>
#include <vector>

namespace attestone::inline backends {

/// True if one of the processes has mapped the library of which this code is a part; attestone's program has, too.
bool map_own_library(const std::vector<pid_t>& processes);

}  // namespace attestone::inline backends
