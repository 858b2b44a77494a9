// SPDX-License-Identifier: Apache-2.0
// The right kernels of this room that load blocks: what their mutants are but for a fault.
#pragma once

#include "backends/kernel.hpp"

namespace attestone::inline mutants::staged_blocks {

SharedKernel right_block_program();
SharedKernel right_producer_consumer();

}  // namespace attestone::inline mutants::staged_blocks
