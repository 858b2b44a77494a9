// SPDX-License-Identifier: Apache-2.0
// Inputs aimed at the weak spots of an error bound.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "reference/tensors.hpp"

namespace attestone::emulation {

struct Fill {
  std::string name;
  void (*fill)(const Problem&, std::uint64_t seed, Inputs&);
};

const std::vector<Fill>& fills();

}  // namespace attestone::emulation
