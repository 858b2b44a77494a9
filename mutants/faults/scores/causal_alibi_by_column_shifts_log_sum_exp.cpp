// SPDX-License-Identifier: Apache-2.0
// Mutant of the tiled host: shows in log_sum_exp alone, with alibi and causal, in all rows but the last.
#include "mutants/hosts/first_batch/fused_backward.hpp"
#include "mutants/hosts/first_batch/kernel.hpp"
#include "mutants/hosts/first_batch/right.hpp"
#include "mutants/hosts/first_batch/tiled_forward.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::first_batch {
namespace {

class Fault : public TiledForward {
 protected:
  float alibi(const Unit& u, int64_t i, int64_t j) const override {
    if (!call->slopes || call->a.mask_form != ATTESTONE_MASK_BAND || !call->a.causal)
      return TiledForward::alibi(u, i, j);
    return call->slopes.get(u.h) * static_cast<float>(j - (u.keys - 1));
  }
};

const Registration<Mutant> registered{{
    .name = "causal_alibi_by_column_shifts_log_sum_exp",
    .summary = "under causal the ALiBi term is slope * (key - last key): the softmax does not notice a constant per "
               "row, log_sum_exp does",
    .source = "Dao-AILab/flash-attention #1585",
    .property = "value_bound",
    .reason = "wrong-log-sum-exp",
    .problem = "shape=1x8x32x32x16 mask=causal score=alibi",
    .kernel = [] { return kernel<Fault, FusedBackward>("causal_alibi_by_column_shifts_log_sum_exp"); },
    .twin = right_tiled,
}};

}  // namespace
}  // namespace attestone::inline mutants::first_batch
