// SPDX-License-Identifier: Apache-2.0
// Integers from -8 to 7.
#include "reference/dtypes/dtype.hpp"
#include "reference/number_formats/integer.hpp"
#include "reference/registry.hpp"

namespace attestone {
namespace {

const Registration<DType> registered{{
    .name = "int4",
    .summary = "integers from -8 to 7",
    .codes = integer({.bits = 4}),
    .exchange = {.dlpack_code = 0},
    .needs_scales = true,
    .drawing = {.chance = 0},  // no published kernel takes it
}};

}  // namespace
}  // namespace attestone
