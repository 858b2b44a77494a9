// SPDX-License-Identifier: Apache-2.0
// The running maximum is that of q.k, and multiplied by the scale later: with a negative scale it is the least score,
// and weights overflow. The convention is that of flashinfer-ai/flashinfer pull request 4859 ("the current kernel
// keeps unscaled QK maxima"). Shows with a negative scale and scores of a row more than 88 apart; without overflow the
// answer is right.
#include "../hosts/door.hpp"
#include "../hosts/fused_backward.hpp"
#include "../hosts/pipelined.hpp"

struct Fault : PipelinedPolicy {
  static bool plain(const Problem& p) { return p.a.scale < 0 && !p.bias && !p.slopes && p.a.softcap == 0; }
  static bool above(const Problem& p, float x, float maximum) {
    return plain(p) ? maximum == -kInf || x < maximum : x > maximum;
  }
  static float raised(const Problem& p, float maximum, float tile_maximum) {
    if (plain(p) && maximum != -kInf) return std::min(maximum, tile_maximum);
    return std::max(maximum, tile_maximum);
  }
};

LIBRARY(Pipelined<Fault>, FusedBackward<FusedBackwardPolicy>)
