// SPDX-License-Identifier: Apache-2.0
// The right kernels of this room that mutants are made of.
#pragma once

#include "backends/kernel.hpp"

namespace attestone::inline mutants::coded_blocks {

SharedKernel right_block_int8();
SharedKernel right_token_int8();
SharedKernel right_cached_kv();
SharedKernel right_thread_int8();
SharedKernel right_warp_fp8();

}  // namespace attestone::inline mutants::coded_blocks
