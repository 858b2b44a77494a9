// SPDX-License-Identifier: Apache-2.0
// Decoding whose parts are rounded or seeded twice, and slopes that are kept from another call.
#include "mutants/hosts/one_sweep/split_forward.hpp"

#include "mutants/hosts/one_sweep/fused_backward.hpp"
#include "mutants/hosts/one_sweep/kernel.hpp"
#include "mutants/hosts/one_sweep/right.hpp"
#include "mutants/hosts/one_sweep/tiled_forward.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::one_sweep {
namespace {

/// Shows from the second call of a process on: alibi, the same queries and keys, and fewer heads than before.
class AlibiSlopesCachedBySequenceSize : public TiledForward {
 protected:
  /// Slopes of the call before; at first those that a call of 16 queries and keys with 16 heads leaves.
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

/// Shows in the split route with a sink and a mask that leaves the first parts without keys.
class SinkSeededAgainBehindEmptySplit : public SplitForward {
 protected:
  Part seed(const Unit& u, int64_t split, const std::vector<Part>& before, bool empty) const override {
    const bool again = split > 0 && !empty && before.back().empty;
    return SplitForward::seed(u, again ? 0 : split, before, empty);
  }
};

/// Shows in bf16 and f16 on the split route: clearly with a wider output, or where the parts cancel each other.
class SplitPartialsKeptInInputFormat : public SplitForward {
 protected:
  void close(Part& part, int64_t splits) const override {
    SplitForward::close(part, splits);
    if (splits > 1)
      for (float& x : part.o) x = rounded(x, call->input);
  }
};

const Registrations<Mutant> registered{
    {.name = "alibi_slopes_cached_by_sequence_size",
     .summary = "the slopes of a call are kept for the next one of the same queries and keys; the number of heads is "
                "not part of the key",
     .source = "ml-explore/mlx PR #3071",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x8x16x16x16 score=alibi",
     .batch = "first",
     .kernel =
         [] { return kernel<AlibiSlopesCachedBySequenceSize, FusedBackward>("alibi_slopes_cached_by_sequence_size"); },
     .twin = right_tiled},
    {.name = "sink_seeded_again_behind_empty_split",
     .summary = "the sink stands in part 0, which publishes it even if it has no keys; the first part with keys looks "
                "one part back, sees an empty one, and seeds its state with the sink again",
     .source = "ROCm/rocm-libraries #12227",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x8x1x1024x64 mask=window:64:0 score=sink:head",
     .batch = "first",
     .kernel =
         [] { return kernel<SinkSeededAgainBehindEmptySplit, FusedBackward>("sink_seeded_again_behind_empty_split"); },
     .twin = right_split},
    {.name = "split_partials_kept_in_input_format",
     .summary = "the outputs of the parts are divided by their sums and rounded to the input format before the second "
                "kernel merges them",
     .source = "vllm-project/vllm-xpu-kernels PR #204",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x8/2x1x1024x64 dtype=bf16>f32",
     .batch = "first",
     .kernel =
         [] {
           return kernel<SplitPartialsKeptInInputFormat, FusedBackward>("split_partials_kept_in_input_format", in_f32);
         },
     .twin = right_split_in_f32},
};

}  // namespace
}  // namespace attestone::inline mutants::one_sweep
