// SPDX-License-Identifier: Apache-2.0
// The products of a few queries: channels are lanes, and every row of K and V is read once. Four rows are read at a
// time, each from another quarter of them: memory gives more when it is read in several places, and long enough in each
// for the machine to read ahead.
#pragma once

#include "backends/cpu/decode/key_rows.hpp"
#include "backends/cpu/decode/lanes.hpp"
#include "backends/cpu/simd/panel.hpp"

namespace attestone::inline backends {

/// S[queries][stride] = Q K^T with Q[queries][dim] and K[keys][dim]; dim is whole lanes.
///
/// Each element is sixteen chains of multiply-adds along dim, added in halves.
void dot_rows(FloatMatrixRows Q, index queries, KeyRows K, index keys, index dim, float* S, index stride);

/// O[queries][channels] += P[queries] V[keys][channels]; channels are whole lanes.
///
/// Each element is one chain of multiply-adds, which goes on where it stood: one key of each quarter, again and again,
/// and at last those that remain.
void add_rows(FloatMatrixRows P, index queries, KeyRows V, index keys, index channels, float* O);

}  // namespace attestone::inline backends
