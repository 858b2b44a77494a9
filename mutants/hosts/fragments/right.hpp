// SPDX-License-Identifier: Apache-2.0
// The right kernels of this room that mutants are made of.
#pragma once

#include "backends/kernel.hpp"

namespace attestone::inline mutants::fragments {

SharedKernel right_cascade_expanded();
SharedKernel right_cascade_stored();
SharedKernel right_fragments_expanded();
SharedKernel right_fragments_stored();
SharedKernel right_stream_expanded();
SharedKernel right_stream_stored();

}  // namespace attestone::inline mutants::fragments
