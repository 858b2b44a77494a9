// SPDX-License-Identifier: Apache-2.0
// What kernels of codes take, all alike.
#pragma once

#include "backends/kernel.hpp"

namespace attestone {

/// f16 or bf16 throughout, full masks or causal ones of as many queries as keys; no bias, sink, softcap, dropout or
/// padding; a scale above 0; dims up to 128; value_dim like dim.
Support taken_by_coded_kernels(const Problem&);

}  // namespace attestone
