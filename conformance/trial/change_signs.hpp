// SPDX-License-Identifier: Apache-2.0
// Other contents for a tensor, of the same sizes.
#pragma once

#include "reference/tensor/tensor.hpp"

namespace attestone::inline conformance {

/// Changes the sign of every element, zeros and NaN included, by its bit; not of zeros and NaN in formats without -0.
/// The format must have a bit for signs.
void change_signs(Tensor&);

}  // namespace attestone::inline conformance
