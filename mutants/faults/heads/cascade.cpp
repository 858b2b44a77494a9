// SPDX-License-Identifier: Apache-2.0
// Wide heads that share channels of K as latent attention does.
#include "mutants/hosts/fragments/cascade.hpp"

#include "mutants/hosts/fragments/expanded.hpp"
#include "mutants/hosts/fragments/kernel.hpp"
#include "mutants/hosts/fragments/right.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::fragments {
namespace {

/// Shows for dim above 128 with more than one kv head.
struct RopeChannelsOfFirstKvHead : Cascade {
  using Cascade::Cascade;

  void load_key(const Sequence& s, Int kv, Int j, float* to) const override {
    Cascade::load_key(s, kv, j, to);
    if (dim <= 128) return;
    const Int from = k.offset(s.place, 0, s.first_key + j, dim - kRope);
    for (Int c = 0; c < kRope; ++c) to[dim - kRope + c] = k.load(from + c * k.stride[3]);
  }
};

const Registrations<Mutant> registered{
    {.name = "rope_channels_of_first_kv_head",
     .summary =
         "heads wider than 128 take the last 64 channels of K from the first kv head, as latent attention shares them",
     .source = "vllm-project/vllm-ascend PR #9043",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x2x8x24x192",
     .batch = "fourth",
     .kernel = [] { return kernel<RopeChannelsOfFirstKvHead, Expanded>("rope_channels_of_first_kv_head"); },
     .twin = right_cascade_expanded},
};

}  // namespace
}  // namespace attestone::inline mutants::fragments
