// SPDX-License-Identifier: Apache-2.0
// What repeated calls did to memory: the part of the guards that both passes share.
#pragma once

#include "backends/device.hpp"
#include "conformance/verdict/verdict.hpp"
#include "reference/tensors.hpp"

namespace attestone {

/// One call: what its outputs held before and after it, and what else it touched.
struct WatchedCall {
  std::vector<NamedTensor> before, after;  ///< of those that must be written
  std::vector<NamedTensor> guarded;        ///< all: what lies around their elements must stay
  bool inputs_changed;
  MemoryUse memory;  ///< the peak of what it took of its device
};

/// Four calls on the same inputs.
struct WatchedCalls {
  WatchedCall over_nan, over_huge, over_stale;  ///< over NaN, over 2^100, over the answer to other inputs
  WatchedCall again;                            ///< over NaN once more
};

/// What a previous call had for inputs: queries, values and dO with the other sign, so that scores and answers differ.
Inputs inputs_before(const Inputs&);

/// Failed if a call wrote where it must not, left an element unwritten, depends on what its outputs held before, or
/// took more memory than `documented` bytes; passed otherwise.
Verdict memory_verdict(const WatchedCalls&, index documented);

}  // namespace attestone
