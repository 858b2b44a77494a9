// SPDX-License-Identifier: Apache-2.0
// E5M2 of AMD's CDNA3 and of Graphcore (fnuz: finite, NaN in the place of -0): B. Noune et al., arXiv 2206.02915.
#include "reference/dtypes/dtype.hpp"
#include "reference/number_formats/floating.hpp"
#include "reference/registry.hpp"

namespace attestone {
namespace {

const Registration<DType> registered{{
    .name = "e5m2fnuz",
    .summary = "E5M2 fnuz: neither infinities nor -0, largest 57344",
    .codes = floating({.bits = 8, .precision = 3, .min_exponent = -15, .top = Top::nan_for_minus_zero}),
    .exchange = {.dlpack_code = 13},
    .drawing = {.chance = 0},  // no published kernel takes it
}};

}  // namespace
}  // namespace attestone
