// SPDX-License-Identifier: Apache-2.0
// Tiles of dbias that causal hides as a whole are skipped by the kernel that converts it, and keep what lay in the
// memory. HKUSTDial/flash-sparse-attention pull request 191 (dbias by torch::zeros in place of empty). Shows in dbias
// under causal with a bias that has a query axis, where a tile of 32 queries and 32 keys lies above the diagonal.
#include "../hosts/door.hpp"
#include "../hosts/fused_backward.hpp"
#include "../hosts/pipelined.hpp"

struct Fault : FusedBackwardPolicy {
  static bool converts_bias(const Problem& p, Index i, Index j) {
    if (p.a.mask_form != ATTESTONE_MASK_BAND || p.a.causal == 0 || p.dbias.extent[2] == 1) return true;
    return j / kKeys * kKeys <= std::min(i / kRows * kRows + kRows, p.a.queries) - 1 + p.a.keys - p.a.queries;
  }
};

LIBRARY(Pipelined<PipelinedPolicy>, FusedBackward<Fault>)
