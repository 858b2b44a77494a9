// SPDX-License-Identifier: Apache-2.0
// OCP MX E2M1, the elements of MXFP4 and NVFP4: 0, 0.5, 1, 1.5, 2, 3, 4, 6, and their negatives.
#include "reference/dtypes/dtype.hpp"
#include "reference/number_formats/floating.hpp"
#include "reference/registry.hpp"

namespace attestone {
namespace {

const Registration<DType> registered{{
    .name = "e2m1",
    .summary = "OCP MX E2M1: every code is a number, largest 6",
    .codes = floating({.bits = 4, .precision = 2, .min_exponent = 0, .top = Top::numbers}),
    .exchange = {.safetensors = "F4", .dlpack_code = 17},
    .needs_scales = true,
    .drawing = {.chance = 0},  // no published kernel takes it
}};

}  // namespace
}  // namespace attestone
