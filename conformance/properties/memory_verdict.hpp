// SPDX-License-Identifier: Apache-2.0
// The effects of repeated calls on memory: the part of the guards that both passes share.
#pragma once

#include <functional>
#include <memory>

#include "backends/device.hpp"
#include "conformance/properties/follows_memory.hpp"
#include "conformance/verdict/verdict.hpp"
#include "reference/call/tensors.hpp"

namespace attestone::inline conformance {

/// One call: what its outputs held before and after it, and what else it touched.
struct WatchedCall {
  std::vector<NamedTensor> before, after;  ///< of those that must be written
  std::vector<NamedTensor> guarded;        ///< all: what lies around their elements must stay
  bool inputs_changed;
  MemoryUse memory;                   ///< the peak of what it took of its device
  std::shared_ptr<const void> owner;  ///< of the tensors
};

/// Calls the kernel over such contents, always with the same inputs.
using CallOver = std::function<WatchedCall(Before)>;

/// The inputs of a previous call: queries, values and dO with the other sign, so that scores and answers differ.
Inputs inputs_before(const Inputs&);

/// Failed if a call wrote where it must not, left an element unwritten, depends on what its outputs held before, or
/// took more memory than `documented` bytes; passed otherwise. `seed` is that of the order of further calls.
Verdict memory_verdict(const CallOver&, index documented, std::uint64_t seed);

}  // namespace attestone::inline conformance
