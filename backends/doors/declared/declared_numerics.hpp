// SPDX-License-Identifier: Apache-2.0
// The arithmetic that an outside kernel declares, as text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reference/numerics.hpp"

namespace attestone {

/// `numerics` with the fields that the text names: "weight_roundoff=0x1p-9 exp_error=1e-6", numbers as strtod reads
/// them, yes or no for what is one of two. A text that names any changes the class's name to "declared". UserError,
/// with `owner` in front, for unknown fields and what is no number of them.
Numerics with_declared(Numerics numerics, std::string_view text, const std::string& owner);

/// The names of all fields.
std::vector<std::string> numerics_fields();

}  // namespace attestone
