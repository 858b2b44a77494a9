// SPDX-License-Identifier: Apache-2.0
// OCP OFP8 E5M2: IEEE-like, with infinities.
#include "reference/dtypes/dtype.hpp"
#include "reference/number_formats/floating.hpp"
#include "reference/registry.hpp"

namespace attestone {
namespace {

const Registration<DType> registered{{
    .name = "e5m2",
    .summary = "OCP OFP8 E5M2: with infinities, largest 57344",
    .codes = floating({.bits = 8, .precision = 3, .min_exponent = -14}),
    .exchange = {.safetensors = "F8_E5M2", .dlpack_code = 12},
    .drawing = {.chance = 0},  // no published kernel takes it
}};

}  // namespace
}  // namespace attestone
