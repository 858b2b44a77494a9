// SPDX-License-Identifier: Apache-2.0
// A right kernel: parts are merged one after the other, the last split first, each time with the larger of two maxima;
// the sink is the first of them.
#include "mutants/hosts/pipelines/kernel.hpp"
#include "mutants/hosts/pipelines/split.hpp"
#include "mutants/hosts/pipelines/two_pass_backward.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::pipelines {
namespace {

struct PairwiseMerge : SplitPolicy {
  static float merge(const Problem& p, const std::vector<Part>& parts, const float* sink, float* out) {
    float maximum = sink ? *sink : -kInf, sum = sink && *sink != -kInf ? std::exp(*sink - *sink) : 0.0f;
    for (std::size_t n = parts.size(); n-- > 0;) {
      const Part& part = parts[n];
      if (part.sum == 0) continue;
      const float high = part.maximum > maximum ? part.maximum : maximum, base = high == -kInf ? 0.0f : high;
      const float mine = sum == 0 ? 0.0f : std::exp(maximum - base), other = std::exp(part.maximum - base);
      for (Index c = 0; c < p.a.value_dim; ++c) out[c] = mine * out[c] + other * part.out[c];
      sum = mine * sum + other * part.sum;
      maximum = high;
    }
    for (Index c = 0; c < p.a.value_dim; ++c) out[c] = sum == 0 ? 0.0f : out[c] / sum;
    return (maximum == -kInf ? 0.0f : maximum) + std::log(sum);
  }
};

const Registration<Twin> registered{{
    .name = "right_pairwise_merge",
    .summary = "parts merged one after the other, the last one first",
    .batch = "third",
    .kernel = [] { return kernel<Split<PairwiseMerge>, TwoPassBackward<TwoPassPolicy>>("right_pairwise_merge"); },
}};

}  // namespace
}  // namespace attestone::inline mutants::pipelines
