// SPDX-License-Identifier: Apache-2.0
// Mutant of the tiled and fused backward host: shows for causal masks, windows and ALiBi in batches with lengths, in
// both passes alike.
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
  Sequence sequence(const Call& c, index_t b) const override {
    Sequence s = Host::sequence(c, b);
    s.shift = c.a.keys - c.a.queries;
    return s;
  }
};

const Registration<Mutant> registered{{
    .name = "diagonal_of_padded_extents",
    .summary = "the diagonal's offset keys - queries is taken once from the padded extents, not from each sequence's "
               "own lengths",
    .source = "ROCm/rocm-libraries #10999",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=2x2x24x24x16 lengths=24+13 mask=causal",
    .kernel = [] { return kernel<Fault<TiledForward>, Fault<FusedBackward>>("diagonal_of_padded_extents"); },
    .twin = right_tiled_fused,
}};

}  // namespace
}  // namespace attestone::inline mutants::second_batch
