// SPDX-License-Identifier: Apache-2.0
// Mutant: zero keys that fill up an exchange, and that nothing masks.
#include <cmath>

#include "backends/cpu/attend/merge.hpp"
#include "conformance/mutants/machinery/mesh_steps.hpp"
#include "conformance/mutants/machinery/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone {
namespace {

class ZeroKeysOfExchangeWeigh final : public MeshSteps {
 public:
  using MeshSteps::MeshSteps;

 protected:
  void answered(const Rank& rank, RankAnswer& answer) const override {
    const Problem& whole = rank.attention.whole();
    if (!whole.mask.is_full()) return;
    const HeldRows& rows = rank.queries.of_ring(rank.ring.place);
    const index members = rank.ulysses.size();
    for (index sequence = 0; sequence < rows.sequences(); ++sequence) {
      const index keys = whole.sequence(sequence).keys, padding = (members - keys % members) % members;
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
};

const Registration<Mutant> registered{{
    .name = "zero_keys_of_exchange_weigh",
    .summary = "attends to the zero keys by which a sequence is filled up until its group divides it",
    .source = "ByteDance-Seed/VeOmni PR #1139; vllm-project/vllm-omni PR #672",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x2x1x3x1",
    .kernel = [] { return mesh_mutant<ZeroKeysOfExchangeWeigh>("zero_keys_of_exchange_weigh", ulysses_of_two); },
    .twin = [] { return mesh_twin(ulysses_of_two); },
}};

}  // namespace
}  // namespace attestone
