// SPDX-License-Identifier: Apache-2.0
// V is loaded by whole tiles: rows behind the sequence's keys have weight 0, and 0 * NaN is NaN. flashinfer-
// ai/flashinfer pull request 942, vllm-project/vllm pull request 53856 (stale cache rows). Shows in padded batches
// (lengths) where the rows behind a sequence hold NaN or infinity.
#include "../hosts/door.hpp"
#include "../hosts/fused_backward.hpp"
#include "../hosts/pipelined.hpp"

struct Fault : PipelinedPolicy {
  static Index value_keys(const Problem&, const Span& s, Index j0) { return std::min(kKeys, s.key_rows - j0); }
};

LIBRARY(Pipelined<Fault>, FusedBackward<FusedBackwardPolicy>)
