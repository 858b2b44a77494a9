// SPDX-License-Identifier: Apache-2.0
// Inputs aimed at the weak spots of an error bound.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "reference/call/tensors.hpp"

namespace attestone::emulation {

struct Fill {
  std::string name;
  void (*fill)(const Problem&, std::uint64_t seed, Inputs&);
};

const std::vector<Fill>& fills();
const Fill& fill_named(const std::string&);

/// Bias and sinks, where the problem has them: normal numbers, the biases with -infinity here and there, and the last
/// query's all -infinity where each query has its own.
void fill_logits(std::uint64_t seed, Inputs&);

/// The gradient of O: normal numbers, or uniform ones in [0, 1) if `positive`; times `size`.
void fill_dout(std::uint64_t seed, bool positive, double size, Inputs&);

}  // namespace attestone::emulation
