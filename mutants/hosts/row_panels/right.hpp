// SPDX-License-Identifier: Apache-2.0
// The right kernels of this room that mutants are made of.
#pragma once

#include "backends/kernel.hpp"

namespace attestone::inline mutants::row_panels {

SharedKernel right_row_panel();
SharedKernel right_split_kv();

}  // namespace attestone::inline mutants::row_panels
