// SPDX-License-Identifier: Apache-2.0
// Standard normal numbers from random words, with the same bits on every machine.
#pragma once

#include <cstdint>
#include <span>

#include "reference/random/random.hpp"

namespace attestone::inline conformance {

/// normals[i] = sqrt(-2 ln((radii[i] + 1/2) / 2^32)) cos(2 pi angles[i] / 2^32), but for some units in the last place:
/// G. Box and M. Muller, "A Note on the Generation of Random Normal Deviates" (Ann. Math. Statist. 29, 1958).
void standard_normals(std::span<const std::uint32_t> radii, std::span<const std::uint32_t> angles,
                      std::span<double> normals);

/// A standard normal number from words 0 and 1.
double standard_normal(const Draw&);

}  // namespace attestone::inline conformance
