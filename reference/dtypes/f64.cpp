// SPDX-License-Identifier: Apache-2.0
// IEEE 754 binary64.
#include "reference/dtypes/dtype.hpp"
#include "reference/number_formats/floating.hpp"
#include "reference/registry.hpp"

namespace attestone {
namespace {

const Registration<DType> registered{{
    .name = "f64",
    .summary = "IEEE 754 binary64",
    .codes = floating({.bits = 64, .precision = 53, .min_exponent = -1022}),
    .exchange = {.safetensors = "F64", .dlpack_code = 2},
    .drawing = {.chance = 0},  // no published kernel takes it
}};

}  // namespace
}  // namespace attestone
