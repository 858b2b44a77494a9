// SPDX-License-Identifier: Apache-2.0
// The online softmax of one query whose keys are lanes (Milakov & Gimelshein, arXiv 1805.02867), in base 2.
#pragma once

#include "backends/cpu/decode/lanes.hpp"
#include "backends/cpu/parts/online_softmax.hpp"

namespace attestone::inline backends {

/// S[count], whole lanes, becomes P = 2^(S - m) with the new maximum m, and is added to l: -infinity weighs exactly
/// nothing. Returns the factor by which everything summed so far shrinks.
///
/// The sum of P is sixteen chains of additions, added in halves.
float weigh_row(float* S, index count, OnlineSoftmax& softmax);

}  // namespace attestone::inline backends
