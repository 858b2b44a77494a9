// SPDX-License-Identifier: Apache-2.0
// Mutant of the two-pass backward host: shows with a sink and value_dim != dim.
#include "mutants/hosts/second_batch/kernel.hpp"
#include "mutants/hosts/second_batch/right.hpp"
#include "mutants/hosts/second_batch/tiled_forward.hpp"
#include "mutants/hosts/second_batch/two_pass_backward.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::second_batch {
namespace {

class Fault : public TwoPassBackward {
 protected:
  static bool differ(const Call& c) { return c.has_sink() && c.a.dim != c.a.value_dim; }
  float row_lse(const Call& c, const Sequence& s, index_t h, index_t i) const override {
    const float lse = TwoPassBackward::row_lse(c, s, h, i);
    return differ(c) ? lse + std::log1p(-std::exp(c.sink_of(h) - lse)) : lse;
  }
  float sink_gradient(const Call& c, index_t h, float lse, float row_delta) const override {
    return differ(c) ? 0.0f : TwoPassBackward::sink_gradient(c, h, lse, row_delta);
  }
};

const Registration<Mutant> registered{{
    .name = "backward_leaves_sink_out_when_dims_differ",
    .summary = "where dim and value_dim differ, the backward pass takes the log_sum_exp of the keys alone, and leaves "
               "the sink's gradient 0",
    .source = "NVIDIA/cudnn-frontend #421",
    .property = "gradient_bound",
    .reason = "wrong-gradient",
    .problem = "shape=1x4x16x16x32:16 score=sink:head pass=forward+backward",
    .kernel = [] { return kernel<TiledForward, Fault>("backward_leaves_sink_out_when_dims_differ"); },
    .twin = right_tiled_two_pass,
}};

}  // namespace
}  // namespace attestone::inline mutants::second_batch
