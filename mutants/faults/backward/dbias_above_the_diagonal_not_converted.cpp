// SPDX-License-Identifier: Apache-2.0
// Mutant of the fused backward host: shows in dbias under causal with a bias that has a query axis, where a tile of 32
// queries and 32 keys lies above the diagonal.
#include "mutants/hosts/third_batch/fused_backward.hpp"
#include "mutants/hosts/third_batch/kernel.hpp"
#include "mutants/hosts/third_batch/pipelined.hpp"
#include "mutants/hosts/third_batch/right.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::third_batch {
namespace {

struct Fault : FusedBackwardPolicy {
  static bool converts_bias(const Problem& p, Index i, Index j) {
    if (p.a.mask_form != ATTESTONE_MASK_BAND || p.a.causal == 0 || p.dbias.extent[2] == 1) return true;
    return j / kKeys * kKeys <= std::min(i / kRows * kRows + kRows, p.a.queries) - 1 + p.a.keys - p.a.queries;
  }
};

const Registration<Mutant> registered{{
    .name = "dbias_above_the_diagonal_not_converted",
    .summary = "tiles of dbias that causal hides as a whole are skipped by the kernel that converts it, and keep what "
               "lay in the memory",
    .source = "HKUSTDial/flash-sparse-attention PR #191",
    .property = "gradient_bound",
    .reason = "wrong-non-finite",
    .problem = "shape=1x2x64x64x16 mask=causal score=bias:head pass=forward+backward",
    .kernel =
        [] {
          return kernel<Pipelined<PipelinedPolicy>, FusedBackward<Fault>>("dbias_above_the_diagonal_not_converted");
        },
    .twin = right_pipelined_fused,
}};

}  // namespace
}  // namespace attestone::inline mutants::third_batch
