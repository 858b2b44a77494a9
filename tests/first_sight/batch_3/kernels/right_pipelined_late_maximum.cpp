// SPDX-License-Identifier: Apache-2.0
// Right: the running maximum is raised only when a tile exceeds it by more than 8, as in FlashAttention-4; weights
// reach e^8, and are put into the input format so.
#include "../hosts/door.hpp"
#include "../hosts/pipelined.hpp"
#include "../hosts/two_pass_backward.hpp"

struct Fault : PipelinedPolicy {
  static float raised(const Problem&, float maximum, float tile_maximum) {
    return maximum != -kInf && tile_maximum - maximum <= 8.0f ? maximum : std::max(maximum, tile_maximum);
  }
};

LIBRARY(Pipelined<Fault>, TwoPassBackward<TwoPassPolicy>)
