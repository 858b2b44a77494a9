// SPDX-License-Identifier: Apache-2.0
// Mutant of the producer-consumer host: shows in ragged batches with a sequence of queries and no keys.
#include "mutants/hosts/fifth_batch/block_right.hpp"
#include "mutants/hosts/fifth_batch/producer_consumer.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::fifth_batch::blocks::producer_consumer {
namespace {

struct Fault : Policy {
  static Int early_exit_lse_place(const Call& c, const Sequence& s, Int h, Int i) {
    if (!c.ragged()) return Policy::early_exit_lse_place(c, s, h, i);
    const Int place = (s.number * c.a.heads + h) * c.a.queries + i;
    return place < c.log_sum_exp.extent[1] * c.log_sum_exp.extent[2] ? place : -1;  // the memory ends there
  }
};

const Registration<Mutant> registered{{
    .name = "early_exit_writes_dense_lse_slot_in_ragged",
    .summary = "the log_sum_exp of a query tile without keys is written where it would lie in a dense "
               "tensor, although that of a ragged batch is packed",
    .source = "Dao-AILab/flash-attention #2842, Dao-AILab/flash-attention PR #2573",
    .property = "value_bound",
    .reason = "wrong-non-finite",
    .problem = "shape=3x2x20x40x16 lengths=40+0+33 query_lengths=20+9+14 layout=ragged",
    .kernel = [] { return kernel<Fault>("early_exit_writes_dense_lse_slot_in_ragged"); },
    .twin = right_producer_consumer,
}};

}  // namespace
}  // namespace attestone::inline mutants::fifth_batch::blocks::producer_consumer
