// SPDX-License-Identifier: Apache-2.0
// A number format that attestone does not have: eight bits, of which four are the significand's.
#include "reference/dtypes/dtype.hpp"
#include "reference/number_formats/floating.hpp"
#include "reference/registry.hpp"

namespace attestone {
namespace {

const Registration<DType> registered{{
    .name = "e3m4",
    .summary = "IEEE style E3M4: infinities, largest 15.5",
    .codes = floating({.bits = 8, .precision = 5, .min_exponent = -2}),
}};

}  // namespace
}  // namespace attestone
