// SPDX-License-Identifier: Apache-2.0
// The deterministic flag is taken and not obeyed: dQ is added up in the order of arrival. Dao-AILab/flash-attention
// issue 2244 (deterministic=True gives other gradients in each run; dQ only). Shows with several threads and several
// tiles of 32 keys: dQ within its bound, and with other bits from call to call.
#include "../hosts/door.hpp"
#include "../hosts/fused_backward.hpp"
#include "../hosts/pipelined.hpp"

struct Fault : FusedBackwardPolicy {
  static bool in_order(const Problem&) { return false; }
};

LIBRARY(Pipelined<PipelinedPolicy>, FusedBackward<Fault>)
