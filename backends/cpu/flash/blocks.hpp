// SPDX-License-Identifier: Apache-2.0
// The block sizes of the flash kernel: read from its settings, checked, and suited to short keys.
#pragma once

#include "backends/catalogue.hpp"

namespace attestone {

/// Of one pass: queries of a tile, keys that are loaded at a time, keys per step.
struct FlashBlocks {
  index queries, keys, compute;
};

/// The blocks of the forward pass, of the pass that sums dK and dV, and of the one that sums dQ, if that is not fused
/// with it.
struct FlashPasses {
  FlashBlocks forward, dkv, dq;
};

/// How dQ is summed by the pass over tiles of keys.
enum class DQuery {
  elsewhere,   ///< it is not
  in_order,    ///< one thread takes all tiles of keys of a head, one after the other
  as_it_comes  ///< several threads add their tiles to one sum in the order in which they arrive: bits vary
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

}  // namespace attestone
