// SPDX-License-Identifier: Apache-2.0
// Kernels that are right by other conventions than the rules.
#pragma once

#include <string>
#include <vector>

#include "backends/kernel.hpp"

namespace attestone {

/// A kernel, and what it declares.
struct ConventionalKernel {
  std::string declares;
  SharedKernel kernel;
};

/// The tiled kernel of the mutants, with its answers changed as the conventions of libraries have it:
///
///     empty_rows=nan         as torch's math path: NaN in rows without keys, and in all gradients of their heads
///     empty_rows=mean        as softmax over scores of which hidden ones are the lowest number: the mean of V, whose
///                            gradient goes to V
///     empty_rows=undefined   as torch on a GPU: 0 with a log_sum_exp of +infinity; and garbage
///     hidden_nonfinite=...   0 times NaN is added for hidden keys, in both passes
///     lse=log2, outputs=out  the logarithm to base 2, read back so in the backward pass; and none
///     causal=top_left
std::vector<ConventionalKernel> conventional_kernels();

/// The kernel, declaring these conventions instead of its own.
SharedKernel declaring(SharedKernel, const std::string& conventions);

/// The kernel with this number added to O, in the first row that sees a key.
SharedKernel off_by(double error, SharedKernel);

}  // namespace attestone
