// SPDX-License-Identifier: Apache-2.0
// OCP MX E3M2: six bits, every code a number.
#include "reference/dtypes/dtype.hpp"
#include "reference/number_formats/floating.hpp"
#include "reference/registry.hpp"

namespace attestone {
namespace {

const Registration<DType> registered{{
    .name = "e3m2",
    .summary = "OCP MX E3M2: every code is a number, largest 28",
    .codes = floating({.bits = 6, .precision = 3, .min_exponent = -2, .top = Top::numbers}),
    .exchange = {.safetensors = "F6_E3M2", .dlpack_code = 16},
    .needs_scales = true,
    .drawing = {.chance = 0},  // no published kernel takes it
}};

}  // namespace
}  // namespace attestone
