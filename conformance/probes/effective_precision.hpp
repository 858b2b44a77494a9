// SPDX-License-Identifier: Apache-2.0
// The precision read-out: how many bits a kernel effectively keeps, whatever it declares.
#pragma once

#include <optional>
#include <string>

#include "backends/kernel.hpp"

namespace attestone {

/// Significant bits.
struct PrecisionReadOut {
  int operands;  ///< of Q and K when they are multiplied
  int scores;    ///< of the sum q.k, and of the score that is made of it
  int weights;   ///< of a weight when it meets V
  int values;    ///< of the sum of weighted V
};

/// From inputs on which everything but one step is exact or too small to matter, so that the length of a row does not
/// matter: operands 1 + 2^-m, scores 2^m + 1 of two products, weights beside their certified truth, and V = 1 beside
/// V = 2^-m. Nothing if the formats are narrower than f32, if no query sees two keys, or with one channel, a softcap, a
/// bias, a sink or dropout.
std::optional<PrecisionReadOut> effective_precision(const AnyKernel&, const Problem&);

/// A class of arithmetic that kernels are known for.
struct PrecisionClass {
  std::string_view name;  ///< "tf32", "bf16-P", ...
  std::string_view says;  ///< what such a kernel rounds
};

/// The class that a kernel is worthy of by its read-out, if that is below what it declares; null otherwise.
const PrecisionClass* worthy_class(const PrecisionReadOut&, const Numerics& declared);

}  // namespace attestone
