// SPDX-License-Identifier: Apache-2.0
// The products of a few queries: channels are lanes, and every row of K and V is read once, in the order of memory.
#pragma once

#include "backends/cpu/decode/fetch.hpp"
#include "backends/cpu/decode/lanes.hpp"
#include "backends/cpu/simd/panel.hpp"

namespace attestone {

/// S[queries][stride] = Q K^T with Q[queries][dim] and K[keys][dim]; dim and stride are whole lanes. What stands behind
/// the last key of a row of S is undefined.
///
/// Each element is sixteen chains of multiply-adds along dim, added in halves.
void dot_rows(FloatMatrixRows Q, index queries, FloatMatrixRows K, index keys, index dim, float* S, index stride,
              const ComingRows& coming);

/// O[queries][channels] += P[queries] V[keys][channels]; channels are whole lanes.
///
/// Each element is one chain of multiply-adds along the keys, which goes on where it stood.
void add_rows(FloatMatrixRows P, index queries, FloatMatrixRows V, index keys, index channels, float* O,
              const ComingRows& coming);

}  // namespace attestone
