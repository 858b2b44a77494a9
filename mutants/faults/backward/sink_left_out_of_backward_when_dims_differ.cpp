// SPDX-License-Identifier: Apache-2.0
// Mutant of the fused backward host: shows in all gradients with a sink and value_dim != dim.
#include "mutants/hosts/first_batch/fused_backward.hpp"
#include "mutants/hosts/first_batch/kernel.hpp"
#include "mutants/hosts/first_batch/right.hpp"
#include "mutants/hosts/first_batch/tiled_forward.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::first_batch {
namespace {

class Fault : public FusedBackward {
 protected:
  bool affected() const { return call->sinks && call->a.dim != call->a.value_dim; }
  float normalizer(const Unit& u, int64_t i) const override {
    const float whole = FusedBackward::normalizer(u, i);
    return affected() ? whole + std::log1p(-std::exp(call->sink(u.h) - whole)) : whole;
  }
  float sink_gradient(const Unit& u, float log_sum, float row_delta) const override {
    return affected() ? 0 : FusedBackward::sink_gradient(u, log_sum, row_delta);
  }
};

const Registration<Mutant> registered{{
    .name = "sink_left_out_of_backward_when_dims_differ",
    .summary = "the specialization for value_dim other than dim normalizes weights by the keys alone, without the "
               "sink, and leaves the sink's own gradient 0",
    .source = "NVIDIA/cudnn-frontend PR #421",
    .property = "gradient_bound",
    .reason = "wrong-gradient",
    .problem = "shape=1x2x16x24x16:8 score=sink:head pass=forward+backward",
    .kernel = [] { return kernel<TiledForward, Fault>("sink_left_out_of_backward_when_dims_differ"); },
    .twin = right_tiled,
}};

}  // namespace
}  // namespace attestone::inline mutants::first_batch
