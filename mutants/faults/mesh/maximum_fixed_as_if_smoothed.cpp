// SPDX-License-Identifier: Apache-2.0
// Mutant: the limit of smoothed keys, for keys that are not.
#include <cmath>

#include "backends/cpu/attend/fixed_maxima.hpp"
#include "backends/distributed/rank/key_value.hpp"
#include "backends/distributed/rank/ring_norms.hpp"
#include "backends/distributed/rank/running_answer.hpp"
#include "mutants/hosts/mesh_changes.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

/// A ring that refers scores to fixed maxima, whatever the norms are below twice the right limit.
class MaximumFixedAsIfSmoothed final : public ChangedMethod {
 public:
  MaximumFixedAsIfSmoothed() : ChangedMethod(fixed_ring_of_two.method) {}

  Task<RankAnswer> forward(Rank& rank, RankInputs held) const override {
    if (rank.ring.size() == 1 || !fixed_maximum::is_known(rank.attention.whole())) {
      Task<RankAnswer> task = right().forward(rank, std::move(held));
      co_return co_await task;
    }
    const LocalQueries queries{rank.queries.of_ring(rank.ring.place), rank.held_heads(), held.query};
    Task<Buffer> gathered = gather_norms(rank, held);
    Buffer norms = co_await gathered;
    const auto answer = seem_to_hold(rank, norms)
                            ? running_answer(rank, queries, norms)
                            : running_answer(MergeForm::rescaled_sums, rank, queries, dtype("f32"));
    norms.release();
    KeyValue current(std::move(held.key), std::move(held.value));
    for (index step = 0; step < rank.ring.size(); ++step) {
      const HeldRows& keys = rank.keys.of_ring(rank.ring.beside(-step));
      const index next_rows = rank.keys.of_ring(rank.ring.beside(-step - 1)).count();
      Hop next;
      const bool hops = step < rank.ring.size() - 1;
      if (hops) next = hop(rank, rank.ring, 1, current, "KV", next_rows, Messages::apart);
      const auto blocks = rank.attention.blocks(queries, keys);
      if (!blocks.empty()) answer->take_in(blocks, queries, {keys, current.key, current.value});
      Task<> hopped = next.finished();
      co_await hopped;
      if (hops) current = std::move(*next.coming);
    }
    current.release();
    held.query.release();
    co_return answer->finish();
  }

 private:
  /// As if half as many orders were needed on either side.
  static bool seem_to_hold(const Rank& rank, const Buffer& norms) {
    scale(norms, std::sqrt(0.5));
    const bool hold = fixed_maxima_hold(rank, norms);
    scale(norms, std::sqrt(2));
    return hold;
  }
};

const Registration<Mutant> registered{{
    .name = "maximum_fixed_as_if_smoothed",
    .summary = "fixes maxima of unsmoothed keys up to the bound that smoothed ones allow: weights underflow",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x1x1x2x1 scale=100 seed=264",
    .kernel =
        [] {
          return mesh_mutant("maximum_fixed_as_if_smoothed", std::make_shared<MaximumFixedAsIfSmoothed>(),
                             fixed_ring_of_two.mesh);
        },
    .twin = [] { return mesh_twin(fixed_ring_of_two); },
}};

}  // namespace
}  // namespace attestone::inline mutants
