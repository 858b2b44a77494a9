// SPDX-License-Identifier: Apache-2.0
// Mutant: the last answer of a token ring, which on one device is the only one and merged already.
#include "backends/cpu/attend/merge.hpp"
#include "mutants/hosts/mesh_changes.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

const Registration<Mutant> registered{{
    .name = "lone_answer_merged_twice",
    .summary = "merges the answer of a token ring of one device with itself, as its authors' code does: log_sum_exp is "
               "too large by ln 2",
    .property = "value_bound",
    .reason = "wrong-log-sum-exp",
    .problem = "shape=1x1x1x2x1",
    .kernel =
        [] {
          return mesh_mutant("lone_answer_merged_twice", token_ring_of_one,
                             {.answer = [](const Rank& rank, RankAnswer& answer) {
                               const View all = answer.log_sum_exp.all();
                               for_each_element(all, [&](index, index head, index row, index) {
                                 const double once = all.value(0, head, row, 0);
                                 if (rank.ring.size() == 1) all.set(0, head, row, 0, log_of_both(once, once));
                               });
                             }});
        },
    .twin = [] { return mesh_twin(token_ring_of_one); },
}};

}  // namespace
}  // namespace attestone::inline mutants
