// SPDX-License-Identifier: Apache-2.0
// Kernels that claim to compute as another one does.
#pragma once

#include <string>

#include "backends/kernel.hpp"

namespace attestone::inline mutants {

/// The kernel of the catalogue under another name, with what `claimed` declares of its arithmetic.
SharedKernel claiming(const std::string& name, const std::string& kernel, const std::string& claimed);

}  // namespace attestone::inline mutants
