// SPDX-License-Identifier: Apache-2.0
// OCP OFP8 E4M3, the variant that ML calls fn: no infinity, largest 448, NaN only S.1111.111.
#include "reference/dtypes/dtype.hpp"
#include "reference/number_formats/floating.hpp"
#include "reference/registry.hpp"

namespace attestone {
namespace {

const Registration<DType> registered{{
    .name = "e4m3",
    .summary = "OCP OFP8 E4M3 (fn): no infinity, largest 448",
    .codes = floating({.bits = 8, .precision = 4, .min_exponent = -6, .top = Top::one_nan}),
    .exchange = {.safetensors = "F8_E4M3", .dlpack_code = 10},
    .drawing = {.chance = 0},  // no published kernel takes it
}};

}  // namespace
}  // namespace attestone
