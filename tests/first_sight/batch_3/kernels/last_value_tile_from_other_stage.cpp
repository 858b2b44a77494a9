// SPDX-License-Identifier: Apache-2.0
// The phase of the ring of V is not flipped for the drain behind an odd number of tiles: the last product takes V of
// the tile before. tile-ai/tilelang issue 2668 and tile-ai/tilelang-ascend issue 949 (T.Pipelined with num_stages=2
// differs from the serial loop for some sizes). Shows with 3, 5, ... tiles of 64 keys; one tile and even numbers are
// right.
#include "../hosts/door.hpp"
#include "../hosts/fused_backward.hpp"
#include "../hosts/pipelined.hpp"

struct Fault : PipelinedPolicy {
  static Index value_stage(Index n, Index tiles) {
    return tiles % 2 == 1 && tiles > 1 && n == tiles - 1 ? 1 - n % 2 : n % 2;
  }
};

LIBRARY(Pipelined<Fault>, FusedBackward<FusedBackwardPolicy>)
