// SPDX-License-Identifier: Apache-2.0
// How much memory there is for this process.
#pragma once

#include <cstdint>

namespace attestone {

/// Bytes: the machine's memory, or the limit that a container (cgroup) or ulimit -v sets below it.
std::uint64_t machine_memory();

}  // namespace attestone
