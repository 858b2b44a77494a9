// SPDX-License-Identifier: Apache-2.0
// Other contents for a tensor, of the same sizes.
#pragma once

#include "reference/tensor.hpp"

namespace attestone {

/// Changes the sign of every element, zeros and NaN included, by its bit. The format must have one.
void change_signs(Tensor&);

}  // namespace attestone
