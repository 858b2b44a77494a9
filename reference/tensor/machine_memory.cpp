// SPDX-License-Identifier: Apache-2.0
// Asking the system for its limits.
#include "reference/tensor/machine_memory.hpp"

#include <algorithm>
#include <fstream>
#include <sys/resource.h>
#include <unistd.h>

namespace attestone {

std::uint64_t machine_memory() {
  std::uint64_t least =
      static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  for (const auto resource : {RLIMIT_AS, RLIMIT_DATA}) {
    rlimit limit{};
    if (getrlimit(resource, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
      least = std::min<std::uint64_t>(least, limit.rlim_cur);
  }
  // The limits of a container; "max", and unreadable entries, are no limit.
  for (const char* file : {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
    std::uint64_t limit = 0;
    if (std::ifstream(file) >> limit && limit > 0) least = std::min(least, limit);
  }
  return least;
}

}  // namespace attestone
