// SPDX-License-Identifier: Apache-2.0
// OCP MX E2M3: six bits, every code a number.
#include "reference/dtypes/dtype.hpp"
#include "reference/number_formats/floating.hpp"
#include "reference/registry.hpp"

namespace attestone {
namespace {

const Registration<DType> registered{{
    .name = "e2m3",
    .summary = "OCP MX E2M3: every code is a number, largest 7.5",
    .codes = floating({.bits = 6, .precision = 4, .min_exponent = 0, .top = Top::numbers}),
    .exchange = {.safetensors = "F6_E2M3", .dlpack_code = 15},
    .needs_scales = true,
    .drawing = {.chance = 0},  // no published kernel takes it
}};

}  // namespace
}  // namespace attestone
