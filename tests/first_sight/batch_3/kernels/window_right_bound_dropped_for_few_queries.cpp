// SPDX-License-Identifier: Apache-2.0
// Up to eight queries count as decoding, where nothing lies to the right: a window keeps its left bound only.
// flashinfer-ai/flashinfer pull request 4137 (per-row sliding-window masking for speculative decode). Shows with
// window:l:r, 2 to 8 queries and keys behind p + r; causal beside the window is right.
#include "../hosts/door.hpp"
#include "../hosts/fused_backward.hpp"
#include "../hosts/split.hpp"

struct Fault : SplitPolicy {
  static Index right(const Problem& p) {
    return p.a.queries <= 8 && p.a.causal == 0 && p.a.window_left >= 0 ? -1 : Rules::right(p);
  }
};

LIBRARY(Split<Fault>, FusedBackward<FusedBackwardPolicy>)
