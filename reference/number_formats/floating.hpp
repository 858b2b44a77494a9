// SPDX-License-Identifier: Apache-2.0
// Floating-point formats: a sign, an exponent field, a trailing significand; subnormals are always gradual.
#pragma once

#include <memory>

#include "reference/number_formats/number_format.hpp"

namespace attestone {

/// The meaning of the codes with the largest magnitudes.
enum class Top {
  infinity_and_nan,    ///< as IEEE 754: with the top exponent there are no numbers
  one_nan,             ///< as OCP E4M3: only the last code, of each sign, is no number
  nan_for_minus_zero,  ///< only that one is none which would be -0: B. Noune et al., arXiv 2206.02915 ("fnuz")
  numbers              ///< as OCP E2M1: every code is a number
};

/// The fields of a format, in the words of FormatFacts.
struct Floating {
  int bits, precision, min_exponent;
  Top top = Top::infinity_and_nan;
};

/// NaN payloads and signs are kept as far as they fit, and -0 is kept where there is one; else it becomes +0. A format
/// without NaN has no code for one: it becomes the largest number, as PTX's saturating conversions have it.
std::shared_ptr<const NumberFormat> floating(const Floating&);

}  // namespace attestone
