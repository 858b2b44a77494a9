// SPDX-License-Identifier: Apache-2.0
// A rank's part of a call: from the judge's request to the rank's answer.
#pragma once

#include <mpi.h>

#include "backends/distributed/worlds/processes/rank_standing.hpp"
#include "backends/plugins/program/frame.hpp"
#include "reference/files/safetensors.hpp"

namespace attestone::inline backends {

/// Runs the program that the request names. What goes wrong with it becomes the texts `fault` and `says`.
Frame answer_of(const Safetensors& request, MPI_Comm, index rank, RankStanding&);

}  // namespace attestone::inline backends
