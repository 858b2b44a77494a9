// SPDX-License-Identifier: Apache-2.0
// IEEE 754 binary16.
#include "reference/dtype.hpp"
#include "reference/registry.hpp"

namespace attestone {
namespace {

const Registration<DType> registered{{
    .name = "f16",
    .summary = "IEEE 754 binary16",
    .storage_bits = 16,
    .precision = 11,
    .min_exponent = -14,
    .has_infinity = true,
    .drawing = {.turn = 2},
}};

}  // namespace
}  // namespace attestone
