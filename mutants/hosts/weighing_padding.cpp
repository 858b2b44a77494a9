// SPDX-License-Identifier: Apache-2.0
// Padding that is not masked, at the end of the forward pass.
#include "mutants/hosts/weighing_padding.hpp"

#include <cmath>

#include "backends/cpu/attend/merge.hpp"

namespace attestone::inline mutants {

void WeighingPadding::answered(const Rank& rank, RankAnswer& answer) const {
  const Problem& whole = rank.attention.whole();
  if (!whole.mask.is_full()) return;
  const HeldRows& rows = rank.queries.of_ring(rank.ring.place);
  const index devices = rank.ulysses.size() * rank.ring.size();
  for (index sequence = 0; sequence < rows.sequences(); ++sequence) {
    const index keys = whole.sequence(sequence).keys, padding = (devices - keys % devices) % devices;
    for (index row = rows.begin(sequence); row < rows.begin(sequence) + rows.count(sequence); ++row)
      for (index head = 0; padding > 0 && head < answer.out.heads(); ++head) {
        const double right = answer.log_sum_exp.all().value(0, head, row, 0);
        const double all = log_of_both(right, std::log(static_cast<double>(padding)));
        answer.log_sum_exp.all().set(0, head, row, 0, all);
        for (index c = 0; c < answer.out.channels(); ++c)
          answer.out.all().set(0, head, row, c, answer.out.all().value(0, head, row, c) * std::exp(right - all));
      }
  }
}

}  // namespace attestone::inline mutants
