// SPDX-License-Identifier: Apache-2.0
// The interval test of enclosure.hpp by a few integer operations, for the many elements that are easy.
#pragma once

#include "reference/dtypes/dtype.hpp"
#include "reference/shape.hpp"
#include "reference/tensor/floating_point_environment.hpp"

namespace attestone {

/// rounded[i] becomes what every number of [value[i] - bound[i], value[i] + bound[i]] rounds to, or NaN if this test
/// cannot tell: it decides inside the normal range of a format narrower than double, far from 0 in terms of the bound.
/// Arrays are aligned; count is a multiple of 8.
void decide_quickly(const DType&, const double* value, const double* bound, index count, double* rounded);

}  // namespace attestone
