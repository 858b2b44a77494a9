// SPDX-License-Identifier: Apache-2.0
// The extents of a bias as it is stored, whatever it is broadcast to.
#pragma once

#include "reference/problem/problem.hpp"
#include "reference/tensor/tensor.hpp"

namespace attestone {

/// The extents of the tensor behind score=bias:KIND, which the problem must have: axes that the kind lacks have extent
/// 1, even where the problem's own extent is 0.
Extents bias_extents(const Problem&);

}  // namespace attestone
