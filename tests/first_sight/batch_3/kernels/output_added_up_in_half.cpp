// SPDX-License-Identifier: Apache-2.0
// With f16 inputs the output of a split is added up in f16. ggml-org/llama.cpp pull requests 17746 (overflow of the
// FP16 VKQ accumulators) and 13975. Shows in f16 with many keys, most where weights are level, and as infinities where
// weights times V pass 65504.
#include "../hosts/door.hpp"
#include "../hosts/fused_backward.hpp"
#include "../hosts/split.hpp"

struct Fault : SplitPolicy {
  static float accumulated(const Problem& p, float x) { return p.value.format == Format::f16 ? f16_rounded(x) : x; }
};

LIBRARY(Split<Fault>, FusedBackward<FusedBackwardPolicy>)
