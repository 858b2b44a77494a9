// SPDX-License-Identifier: Apache-2.0
// A process that is one rank: it answers the judge's calls until the judge hangs up.
#pragma once

#include <string>

namespace attestone::inline backends {

/// The process's exit status. MPI has begun.
int serve_as_rank(const std::string& meeting_point);

}  // namespace attestone::inline backends
