// SPDX-License-Identifier: Apache-2.0
// Integers from 0 to 255.
#include "reference/dtypes/dtype.hpp"
#include "reference/number_formats/integer.hpp"
#include "reference/registry.hpp"

namespace attestone {
namespace {

const Registration<DType> registered{{
    .name = "uint8",
    .summary = "integers from 0 to 255",
    .codes = integer({.bits = 8, .has_sign = false}),
    .exchange = {.safetensors = "U8", .dlpack_code = 1},
    .needs_scales = true,
    .drawing = {.chance = 0},  // no published kernel takes it
}};

}  // namespace
}  // namespace attestone
