// SPDX-License-Identifier: Apache-2.0
// Ways of making codes that kernels are known for, in words and as declarations: where to look for those of a kernel
// whose codes are not the declared ones.
#pragma once

#include <string>
#include <vector>

#include "reference/numerics/numerics.hpp"

namespace attestone::inline conformance {

/// Other codes of one operand.
struct KnownCodes {
  std::string says;      ///< what such a kernel does: "gives 128 rows of K a scale"
  std::string declares;  ///< over what the kernel declares: "score.key_codes.sharing=rows score.key_codes.count=128"
};

/// The codes that differ from the declared ones in one thing: which elements share a scale, the mean, what is
/// multiplied before, the rule; and last, as they allow more, quotients that are off where they lie between two codes.
std::vector<KnownCodes> known_codes(const Numerics& declared);

}  // namespace attestone::inline conformance
