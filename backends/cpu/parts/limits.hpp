// SPDX-License-Identifier: Apache-2.0
// The common part of the CPU kernels: the problems none of them takes, and the arithmetic of plain floats.
#pragma once

#include "backends/kernel.hpp"

namespace attestone::inline backends {

/// Refuses formats that the codec lacks, and biases whose formula FormulaBias does not know: all that the published
/// kernels refuse.
Support common_limits(const Problem&);

/// The declaration of a kernel that keeps everything in f32, where it may flush small numbers, but the weights, which
/// it casts to the input format before the product with V, and the output, which it rounds once. What differs between
/// kernels is left at 0.
Numerics float_numerics(const Problem&, double exp_error);

/// The invariance of a row that takes in the keys of its sequence in steps of one size, from the first key
/// that it or a query beside it sees to the last one: of those queries only where all see the same.
Invariance of_steps(const Problem&);

/// Relative errors of glibc's float functions, by exhaustive comparison with double
/// (tests/backends/cpu/parts/float_functions_test.cpp): 2^-22.5 for std::tanh, 2^-24 for std::exp.
constexpr double float_tanh_error = 0x1p-22, float_exp_error = 0x1p-23;

}  // namespace attestone::inline backends
