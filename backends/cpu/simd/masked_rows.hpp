// SPDX-License-Identifier: Apache-2.0
// Rows of V that some queries must not see: what is not finite in them must not reach those through 0 times infinity.
#pragma once

#include "backends/cpu/simd/panel.hpp"

namespace attestone::inline backends {

/// True if no number of the row is infinite or NaN.
bool all_finite(const float* row, index channels);

/// Sets the infinite and NaN numbers of a row to 0.
void clear_non_finite(float* row, index channels);

/// O^T[channels][32] += v[channels] p[32] for some of the queries, and for those channels alone whose v is not finite.
void add_non_finite(QuerySet some, const float* v, const float* p, index channels, float* OT);

}  // namespace attestone::inline backends
