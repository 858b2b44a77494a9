// SPDX-License-Identifier: Apache-2.0
// Asking for a kernel by its name.
#include "conformance/run/candidate.hpp"

#include "conformance/run/run.hpp"

namespace attestone::inline conformance {

std::string Candidate::option_of(const Kernel& kernel) { return "--kernel=" + quoted(kernel.name()); }

}  // namespace attestone::inline conformance
