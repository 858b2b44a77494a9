// SPDX-License-Identifier: Apache-2.0
// The slopes of ALiBi, which kernels receive as data.
#pragma once

#include "reference/shape.hpp"

namespace attestone {

/// The slope of query head `head` among `heads`, as stored: rounded to f32, so that slope * distance is exact in
/// double.
///
/// With n the largest power of two <= heads, the first n heads have 2^(-8h/n), h = 1..n; the others have every second
/// slope of the list for 2n heads, 2^(-4(2i-1)/n), i = 1.. (Press et al., arXiv 2108.12409, section 3, and the authors'
/// published code for head counts that are no power of two).
double alibi_slope(index head, index heads);

}  // namespace attestone
