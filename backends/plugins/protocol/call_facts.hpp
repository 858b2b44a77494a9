// SPDX-License-Identifier: Apache-2.0
// The facts of a call's problem besides its tensors, in the words of kernel.h.
#pragma once

#include <string>

#include "backends/plugins/protocol/wire.hpp"
#include "reference/problem/problem.hpp"

namespace attestone::inline backends {

/// Extents, scale, softcap, mask, dropout and names of the problem, as attestone_args has them; no tensors.
wire::Call call_facts(const Problem&, wire::Request);

/// The score term or format that attestone_args has no place for; empty if there is none.
std::string not_carried(const Problem&);

}  // namespace attestone::inline backends
