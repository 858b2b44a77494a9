// SPDX-License-Identifier: Apache-2.0
// IEEE 754 binary32.
#include "reference/dtype.hpp"
#include "reference/registry.hpp"

namespace attestone {
namespace {

const Registration<DType> registered{{
    .name = "f32",
    .summary = "IEEE 754 binary32",
    .storage_bits = 32,
    .precision = 24,
    .min_exponent = -126,
    .has_infinity = true,
    .drawing = {.turn = 1},
}};

}  // namespace
}  // namespace attestone
