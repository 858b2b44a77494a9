// SPDX-License-Identifier: Apache-2.0
// What the CPU kernels have in common: the problems none of them takes, and the arithmetic of plain floats.
#pragma once

#include "backends/kernel.hpp"

namespace attestone {

/// Refuses gradients, dropout, formats other than f32, f16 and bf16, and score terms other than softcap and alibi.
Support cpu_limits(const Problem&);

/// The declaration of a kernel that keeps everything in f32 but the weights, which it casts to the input format before
/// the product with V, and the output, which it rounds once. What differs between kernels is left at 0.
Numerics float_numerics(const Problem&);

/// std::tanh(float) of glibc, relative to the exact tangent: 1.7e-7 for every float (exhaustive comparison with
/// double).
constexpr double float_tanh_error = 0x1p-22;

}  // namespace attestone
