// SPDX-License-Identifier: Apache-2.0
// The cost of a call: probes and searches leave large problems alone.
#pragma once

#include "reference/shape.hpp"

namespace attestone::inline conformance {

/// The multiply-adds of one forward pass over every pair.
inline double multiply_adds(const Shape& s) {
  return static_cast<double>(s.rows()) * static_cast<double>(s.keys) * static_cast<double>(s.dim + s.value_dim);
}

}  // namespace attestone::inline conformance
