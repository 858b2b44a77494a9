// SPDX-License-Identifier: Apache-2.0
// Rows become the columns of a panel, and columns rows.
#pragma once

#include "backends/cpu/simd/panel.hpp"

namespace attestone::inline backends {

/// panel[channels][32] = rows[count][channels], transposed, count <= 32; columns without a row become 0.
void rows_to_panel(FloatMatrixRows rows, index count, index channels, float* panel);

/// rows[count][stride >= channels] = the first `count` columns of panel[channels][32].
void panel_to_rows(const float* panel, index channels, index count, float* rows, index stride);

}  // namespace attestone::inline backends
