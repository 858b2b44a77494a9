// SPDX-License-Identifier: Apache-2.0
// The verdict on the gain of one tensor.
#pragma once

#include <string_view>

#include "conformance/verdict/verdict.hpp"
#include "reference/error_bound/gain.hpp"

namespace attestone {

/// Failed if the gain is further from 1 than rounding explains; inconclusive, for the given reason, if zeros would
/// pass. `tensor` is what the evidence calls it: "O", "dQ".
Verdict gain_verdict(std::string_view tensor, const Gain&, const char* zeros_would_pass);

}  // namespace attestone
