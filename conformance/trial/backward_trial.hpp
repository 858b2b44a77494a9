// SPDX-License-Identifier: Apache-2.0
// The backward half of a trial: gradients, their truth and their bounds, made when first asked for.
#pragma once

#include <optional>

#include "backends/device.hpp"
#include "conformance/trial/poison.hpp"
#include "conformance/verdict/compare_gradients.hpp"

namespace attestone::inline conformance {

class Trial;

/// One finished backward call of the kernel.
struct GradientAnswer {
  Gradients gradients;
  MemoryUse memory = {};                     ///< the peak of what the kernel took of its device
  std::vector<MeasuredDevice> devices = {};  ///< of a kernel on a mesh
  bool inputs_changed = false;               ///< the kernel wrote to what it was only to read
};

/// The backward half of a trial; made once and kept, like the other half.
class BackwardTrial {
 public:
  /// Needs a problem with gradients, and a kernel that has a backward pass.
  explicit BackwardTrial(Trial& trial) : trial_(trial) {}

  const GradientTruth& truth();
  const GradientBounds& bounds();
  /// The kernel's gradients on the trial's inputs and its own forward answer, over NaN.
  const GradientAnswer& answer();

  /// Runs the backward pass on a copy of these inputs and of this forward answer. KernelCrash if it throws.
  GradientAnswer run(const Inputs&, const Outputs& forward, Poison = Poison::nan);
  GradientAnswer run(const Inputs&, const Outputs& forward, Gradients over);
  Comparison compare_with_truth(const Gradients&, const GradientFilter& = nullptr);

 private:
  Trial& trial_;
  std::optional<GradientTruth> truth_;
  std::optional<GradientBounds> bounds_;
  std::optional<GradientAnswer> answer_;
};

}  // namespace attestone::inline conformance
