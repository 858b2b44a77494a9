// SPDX-License-Identifier: Apache-2.0
// The merge works in base 2: log_sum_exp of the splits is converted, the sink is not. Rows of one split take another
// way and are right. ROCm/rocm-libraries issue 12227 (the sink seeded without log2 e in one split-KV pipeline). Shows
// with a sink and more than 128 keys: it weighs 2^sink, not e^sink.
#include "../hosts/door.hpp"
#include "../hosts/fused_backward.hpp"
#include "../hosts/split.hpp"

struct Fault : SplitPolicy {
  static float merge(const Problem& p, const std::vector<Part>& parts, const float* sink, float* out) {
    const float ln2 = 0.693147181f, changed = sink ? *sink * ln2 : 0.0f;
    return SplitPolicy::merge(p, parts, sink && parts.size() > 1 ? &changed : sink, out);
  }
};

LIBRARY(Split<Fault>, FusedBackward<FusedBackwardPolicy>)
