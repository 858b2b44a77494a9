// SPDX-License-Identifier: Apache-2.0
// Scales that are fixed before a kernel runs, as settings of kernels.
#pragma once

#include "backends/setting.hpp"
#include "reference/numerics/operand_codes.hpp"

namespace attestone::inline backends {

/// "query_largest=2.5": the size that an operand's scale is made of, whatever its numbers are; `own`, the fallback: the
/// largest of each group. Calibration chooses it (calibration.hpp). What is larger saturates.
Setting static_scale(std::string_view name);

/// The codes with that size, if the setting has one: it counts as a number of f32.
OperandCodes with_static_scale(OperandCodes, const Settings&, std::string_view name);

}  // namespace attestone::inline backends
