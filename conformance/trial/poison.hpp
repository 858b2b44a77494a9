// SPDX-License-Identifier: Apache-2.0
// The contents of tensors before a kernel writes them: whatever it leaves unwritten shows.
#pragma once

#include "reference/call/tensors.hpp"

namespace attestone::inline conformance {

enum class Poison { nan, huge };

/// Every element becomes the poison.
void poison(Tensor&, Poison);
/// Outputs, or gradients, of the problem in which every element is the poison.
Outputs poisoned_outputs(const Problem&, Poison);
Gradients poisoned_gradients(const Problem&, Poison);

}  // namespace attestone::inline conformance
