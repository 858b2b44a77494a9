// SPDX-License-Identifier: Apache-2.0
// OCP MX E8M0: powers of two, the scales of MX formats.
#include "reference/dtypes/dtype.hpp"
#include "reference/number_formats/exponent_only.hpp"
#include "reference/registry.hpp"

namespace attestone {
namespace {

const Registration<DType> registered{{
    .name = "e8m0",
    .summary = "OCP MX E8M0: powers of two from 2^-127 to 2^127, and NaN",
    .codes = exponent_only({.bits = 8, .min_exponent = -127}),
    .exchange = {.safetensors = "F8_E8M0", .dlpack_code = 14},
    .needs_scales = true,
    .drawing = {.chance = 0},  // no published kernel takes it
}};

}  // namespace
}  // namespace attestone
