// SPDX-License-Identifier: Apache-2.0
// Mutant of the two-pass backward host: shows in dQ (and the bias) where value_dim > dim; dK and dV are right.
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
  index_t value_channels(const Call& c) const override {
    return pass_ == 1 ? std::min(c.a.dim, c.a.value_dim) : c.a.value_dim;
  }
};

const Registration<Mutant> registered{{
    .name = "dq_pass_sees_dim_channels_of_v",
    .summary =
        "the kernel of dQ declares dO and V with dim channels: where value_dim is larger, the rest is masked out of dP",
    .source = "XunhaoLai/native-sparse-attention-triton #27",
    .property = "gradient_bound",
    .reason = "wrong-gradient",
    .problem = "shape=1x2x16x24x16:32 pass=forward+backward",
    .kernel = [] { return kernel<TiledForward, Fault>("dq_pass_sees_dim_channels_of_v"); },
    .twin = right_tiled_two_pass,
}};

}  // namespace
}  // namespace attestone::inline mutants::second_batch
