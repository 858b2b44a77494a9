// SPDX-License-Identifier: Apache-2.0
// Mutant: chunks that are all of one size.
#include "mutants/hosts/mesh_changes.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

/// Of the heads of every member those that are left when they have been cut into two equal chunks.
void lose_remainder(const Rank& rank, RankAnswer& answer) {
  for (index place = 0; place < rank.ulysses.size(); ++place) {
    const Interval heads = rank.heads.of(place).query;
    const View lost = answer.out.part(heads.last, heads.count() % 2, 0, answer.out.rows());
    for_each_element(lost, [&](index, index head, index row, index channel) { lost.set(0, head, row, channel, 0); });
  }
}

const Registration<Mutant> registered{{
    .name = "remainder_of_chunks_lost",
    .summary = "exchanges as many heads in the last chunk as in the others, and loses what is left",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x6x1x2x1",
    .kernel = [] { return mesh_mutant("remainder_of_chunks_lost", two_chunks_of_two, {.answer = lose_remainder}); },
    .twin = [] { return mesh_twin(two_chunks_of_two); },
}};

}  // namespace
}  // namespace attestone::inline mutants
