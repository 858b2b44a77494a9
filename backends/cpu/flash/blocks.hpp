// SPDX-License-Identifier: Apache-2.0
// The block sizes of the flash kernel: read from its settings, checked, and suited to short keys.
#pragma once

#include "backends/catalogue.hpp"
#include "backends/cpu/attend/blocks.hpp"
#include "backends/cpu/simd/bfloat16_products.hpp"

namespace attestone::inline backends {

/// The blocks of the forward pass, of the pass that sums dK and dV, and of the one that sums dQ, if that is not fused
/// with it.
struct FlashPasses {
  AttendBlocks forward, dkv, dq;
};

/// The settings of the flash kernel.
std::vector<Setting> flash_settings();

/// The blocks that the settings ask for. Throws UserError where a block does not divide its parent, or a setting has no
/// meaning beside the others.
FlashPasses flash_passes(const Settings&);

/// The rule of MaxDiffusion (its flash block sizes for cross-attention), where it shrinks: if queries and keys differ
/// in number and there are fewer keys than a block holds, that block and its steps hold just the keys. Changes are
/// appended to `changes`.
FlashPasses suited_to_short_keys(const FlashPasses&, const Shape&, std::vector<Adjustment>& changes);

/// Steps are halved while a worker's scratch memory is more than 1 MiB: of heads of more than 256 channels.
FlashPasses suited_to_wide_heads(const FlashPasses&, const Problem&, std::optional<PairProducts>,
                                 std::vector<Adjustment>& changes);

/// How products of bf16 are added up, if not as floats. What `products` asks for and does not get, or leaves to the
/// machine, is appended to `changes`.
std::optional<PairProducts> flash_products(const Settings&, const Problem&, std::vector<Adjustment>& changes);

}  // namespace attestone::inline backends
