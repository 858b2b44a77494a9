// SPDX-License-Identifier: Apache-2.0
// Conclusions from an interval between two MPFR numbers on the real number in it.
#pragma once

#include "reference/certified/numbers/certified.hpp"
#include "reference/certified/numbers/number.hpp"
#include "reference/dtypes/dtype.hpp"

namespace attestone {

/// The certified number that an interval tells; an infinite bound if it is not finite.
Certified certified(const MpfrInterval&, const DType&);

}  // namespace attestone
