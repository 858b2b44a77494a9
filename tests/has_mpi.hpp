// SPDX-License-Identifier: Apache-2.0
// Whether real processes can be ranks here: attestone was built with MPI, and there is an mpirun.
#pragma once

#include "backends/distributed/worlds/processes/rank_job.hpp"

namespace attestone {

inline bool has_mpi() { return !rank_program_path().empty() && has_mpirun(); }

}  // namespace attestone
