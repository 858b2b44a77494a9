// SPDX-License-Identifier: Apache-2.0
// bfloat16: the range of binary32 with 8 bits of precision.
#include "reference/dtypes/dtype.hpp"
#include "reference/number_formats/floating.hpp"
#include "reference/registry.hpp"

namespace attestone {
namespace {

const Registration<DType> registered{{
    .name = "bf16",
    .summary = "bfloat16: binary32 cut to 8 bits of precision",
    .codes = floating({.bits = 16, .precision = 8, .min_exponent = -126}),
    .exchange = {.safetensors = "BF16", .dlpack_code = 4},
    .drawing = {.turn = 3},
}};

}  // namespace
}  // namespace attestone
