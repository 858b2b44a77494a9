// SPDX-License-Identifier: Apache-2.0
// A kernel that computes in f32 and gets the last step wrong: how an answer is stored.
#pragma once

#include <functional>
#include <string>

#include "backends/kernel.hpp"

namespace attestone::inline mutants {

/// An element on its way into memory.
struct StoredElement {
  const KernelInputs& inputs;
  const Problem& problem;
  TensorName tensor;  ///< out, or a gradient
  Extents at;
  double value;  ///< in f32
};

/// Returns the number to store in place of the element; the format of the tensor rounds it afterwards.
using Store = std::function<double(const StoredElement&)>;

/// The faultless tiled kernel with another store for every element of O and of the gradients. log_sum_exp is right.
SharedKernel storing_kernel(std::string name, const Store&);

/// Multiplies one tensor by 1.001 where `where` holds.
SharedKernel a_thousandth_long(std::string name, TensorName,
                               const std::function<bool(const Extents&)>& where = nullptr);

}  // namespace attestone::inline mutants
