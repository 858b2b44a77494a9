// SPDX-License-Identifier: Apache-2.0
// E4M3 of AMD's CDNA3 and of Graphcore (fnuz: finite, NaN in the place of -0): B. Noune et al., arXiv 2206.02915.
#include "reference/dtypes/dtype.hpp"
#include "reference/number_formats/floating.hpp"
#include "reference/registry.hpp"

namespace attestone {
namespace {

const Registration<DType> registered{{
    .name = "e4m3fnuz",
    .summary = "E4M3 fnuz: neither infinities nor -0, largest 240",
    .codes = floating({.bits = 8, .precision = 4, .min_exponent = -7, .top = Top::nan_for_minus_zero}),
    .exchange = {.dlpack_code = 11},
    .drawing = {.chance = 0},  // no published kernel takes it
}};

}  // namespace
}  // namespace attestone
