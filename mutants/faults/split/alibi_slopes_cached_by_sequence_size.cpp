// SPDX-License-Identifier: Apache-2.0
// Mutant of the tiled host: shows from the second call of a process on: alibi, the same queries and keys, and fewer
// heads than before.
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
  /// What was kept of the call before; it begins as a call of 16 queries and keys with 16 heads leaves it.
  struct Cache {
    int64_t queries = 16, keys = 16;
    std::vector<float> slopes;
    Cache() {
      for (int head = 1; head <= 16; ++head) slopes.push_back(std::exp2(-0.5f * static_cast<float>(head)));
    }
  };
  Cache kept;
  std::vector<float> slopes;
  float alibi(const Unit& u, int64_t i, int64_t j) const override {
    return slopes.empty() ? 0 : call->alibi(slopes[static_cast<size_t>(u.h)], i + u.shift, j);
  }

 public:
  void run(const Call& c) override {
    if (c.slopes) {
      const auto heads = static_cast<size_t>(c.a.heads);
      if (kept.queries != c.a.queries || kept.keys != c.a.keys || kept.slopes.size() < heads) {
        kept.queries = c.a.queries, kept.keys = c.a.keys;
        kept.slopes.resize(heads);
        for (size_t h = 0; h < heads; ++h) kept.slopes[h] = c.slopes.get(static_cast<int64_t>(h));
      }
      slopes = kept.slopes;
    }
    TiledForward::run(c);
  }
};

const Registration<Mutant> registered{{
    .name = "alibi_slopes_cached_by_sequence_size",
    .summary = "the slopes of a call are kept for the next one of the same queries and keys; the number of heads is "
               "not part of the key",
    .source = "ml-explore/mlx PR #3071",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x8x16x16x16 score=alibi",
    .kernel = [] { return kernel<Fault, FusedBackward>("alibi_slopes_cached_by_sequence_size"); },
    .twin = right_tiled,
}};

}  // namespace
}  // namespace attestone::inline mutants::first_batch
