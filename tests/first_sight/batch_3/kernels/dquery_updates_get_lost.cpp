// SPDX-License-Identifier: Apache-2.0
// Without determinism workers read, add and write their part of dQ without a lock. Dao-AILab/flash-attention issue 359
// (a hidden race in the backward pass). Shows in dQ with deterministic=0, more than one thread and more than 32 keys,
// in some runs more than in others.
#include "../hosts/door.hpp"
#include "../hosts/fused_backward.hpp"
#include "../hosts/pipelined.hpp"

struct Fault : FusedBackwardPolicy {
  static bool locked(const Problem& p) { return p.a.deterministic != 0; }
};

LIBRARY(Pipelined<PipelinedPolicy>, FusedBackward<Fault>)
