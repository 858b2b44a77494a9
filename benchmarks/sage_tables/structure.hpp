// SPDX-License-Identifier: Apache-2.0
// Inputs with the structure that SageAttention's papers report of real models, whose tensors are not published.
#pragma once

#include "benchmarks/sage_tables/method.hpp"

namespace attestone {

/// Numbers of mean 0 and deviation 1, and what is added to them.
struct Structure {
  double query_offset = 0, key_offset = 0;  ///< deviation of the means of channels
  double value_offset = 0;                  ///< how far the means of V's channels lie from 0
  double row_spread = 0;                    ///< rows of K and Q are e^(spread N(0, 1)) times as long
  double sink = 0;  ///< by how much the first key's score leads, whose V is a tenth (StreamingLLM, arXiv 2309.17453)
};

/// One head, rounded to f16.
HeadRows drawn(const Structure&, index head, index queries, index keys, index dim);

}  // namespace attestone
