// SPDX-License-Identifier: Apache-2.0
// IEEE 754 binary16.
#include "reference/dtypes/dtype.hpp"
#include "reference/number_formats/floating.hpp"
#include "reference/registry.hpp"

namespace attestone {
namespace {

const Registration<DType> registered{{
    .name = "f16",
    .summary = "IEEE 754 binary16",
    .codes = floating({.bits = 16, .precision = 11, .min_exponent = -14}),
    .exchange = {.safetensors = "F16", .dlpack_code = 2},
    .drawing = {.turn = 2},
}};

}  // namespace
}  // namespace attestone
