// SPDX-License-Identifier: Apache-2.0
// A sequence that has no queries has no work, and dK and dV of its keys keep what lay in the memory. Dao-AILab/flash-
// attention issue 2562 (cu_seqlens_q = [0, 0, 1208, ...]: dK, dV must be zeros). Shows in dK and dV with query_lengths
// that hold a 0, padded or ragged.
#include "../hosts/door.hpp"
#include "../hosts/fused_backward.hpp"
#include "../hosts/pipelined.hpp"

struct Fault : FusedBackwardPolicy {
  static bool writes_keys(const Span& s) { return s.queries > 0; }
};

LIBRARY(Pipelined<PipelinedPolicy>, FusedBackward<Fault>)
