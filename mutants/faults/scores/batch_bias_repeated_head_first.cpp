// SPDX-License-Identifier: Apache-2.0
// Mutant of the tiled and fused backward host: shows with score=bias:batch or bias:key, batch and heads above 1.
#include "mutants/hosts/second_batch/fused_backward.hpp"
#include "mutants/hosts/second_batch/kernel.hpp"
#include "mutants/hosts/second_batch/right.hpp"
#include "mutants/hosts/second_batch/tiled_forward.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::second_batch {
namespace {

template <class Host>
class Fault : public Host {
 protected:
  float bias(const Call& c, const Sequence& s, index_t h, index_t i, index_t j) const override {
    Sequence other = s;
    if (c.has_bias() && c.bias.stride[0] != 0 && c.bias.stride[1] == 0)
      other.number = (s.number * c.a.heads + h) % c.a.batch;
    return Host::bias(c, other, h, i, j);
  }
};

const Registration<Mutant> registered{{
    .name = "batch_bias_repeated_head_first",
    .summary = "a bias [batch, 1, ., keys] is expanded to the flat axis (batch, head) as if that were (head, batch): "
               "flat index mod batch",
    .source = "lucidrains/graph-transformer-pytorch #2",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=2x4x17x33x16 score=bias:batch",
    .kernel = [] { return kernel<Fault<TiledForward>, Fault<FusedBackward>>("batch_bias_repeated_head_first"); },
    .twin = right_tiled_fused,
}};

}  // namespace
}  // namespace attestone::inline mutants::second_batch
