// SPDX-License-Identifier: Apache-2.0
// IEEE 754 binary32.
#include "reference/dtypes/dtype.hpp"
#include "reference/number_formats/floating.hpp"
#include "reference/registry.hpp"

namespace attestone {
namespace {

const Registration<DType> registered{{
    .name = "f32",
    .summary = "IEEE 754 binary32",
    .codes = floating({.bits = 32, .precision = 24, .min_exponent = -126}),
    .exchange = {.safetensors = "F32", .dlpack_code = 2},
    .drawing = {.turn = 1},
}};

}  // namespace
}  // namespace attestone
