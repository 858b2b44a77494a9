// SPDX-License-Identifier: Apache-2.0
// Integers from -128 to 127.
#include "reference/dtypes/dtype.hpp"
#include "reference/number_formats/integer.hpp"
#include "reference/registry.hpp"

namespace attestone {
namespace {

const Registration<DType> registered{{
    .name = "int8",
    .summary = "integers from -128 to 127",
    .codes = integer({.bits = 8}),
    .exchange = {.safetensors = "I8", .dlpack_code = 0},
    .needs_scales = true,
    .drawing = {.chance = 0},  // no published kernel takes it
}};

}  // namespace
}  // namespace attestone
