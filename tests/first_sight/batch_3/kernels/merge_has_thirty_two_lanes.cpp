// SPDX-License-Identifier: Apache-2.0
// The merge has a lane for each split, 32 of them, and no loop: later splits are lost. flashinfer-ai/flashinfer pull
// request 4573, review (reduce kernels with one split per lane of a warp). Shows with more than 4096 keys.
#include <iterator>

#include "../hosts/door.hpp"
#include "../hosts/fused_backward.hpp"
#include "../hosts/split.hpp"

struct Fault : SplitPolicy {
  static float merge(const Problem& p, const std::vector<Part>& parts, const float* sink, float* out) {
    const std::vector<Part> lanes(parts.begin(), parts.begin() + std::min<std::ptrdiff_t>(32, std::ssize(parts)));
    return SplitPolicy::merge(p, lanes, sink, out);
  }
};

LIBRARY(Split<Fault>, FusedBackward<FusedBackwardPolicy>)
