// SPDX-License-Identifier: Apache-2.0
// Looking for the circumstances of one failure.
#pragma once

#include "conformance/diagnosis/circumstances/circumstances.hpp"
#include "conformance/diagnosis/circumstances/inquiry.hpp"

namespace attestone::inline conformance {

/// One failure of a run.
struct FailureToExplain {
  std::string reason;
  bool of_bound;                 ///< whether its property judges the plain call, element by element
  Problem first, least;          ///< that failed first, and the least that fails alike
  std::vector<Problem> failing;  ///< all of the run on which its property failed
};

/// Asks about problems near the failing one, a thing at a time. What is said was found by some calls and predicted
/// others, and no failing problem of the run contradicts it.
Circumstances circumstances_of(const AskKernel&, const FailureToExplain&);

}  // namespace attestone::inline conformance
