// SPDX-License-Identifier: Apache-2.0
// Mutant of the fused backward host: shows in dQ for dims above 64 that the two roundings tell apart.
#include "mutants/hosts/second_batch/fused_backward.hpp"
#include "mutants/hosts/second_batch/kernel.hpp"
#include "mutants/hosts/second_batch/right.hpp"
#include "mutants/hosts/second_batch/tiled_forward.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::second_batch {
namespace {

class Fault : public FusedBackward {
 protected:
  index_t dq_pitch(const Call& c) const override { return round_up(c.a.dim, c.a.dim > 64 ? 16 : 32); }
  index_t dq_pitch_of_conversion(const Call& c) const override { return round_up(c.a.dim, 32); }
};

const Registration<Mutant> registered{{
    .name = "dq_conversion_has_another_pitch",
    .summary = "above dim 64 the kernel adds dQ up in rows of dim rounded to 16, and the conversion reads rows of dim "
               "rounded to 32",
    .source = "Dao-AILab/flash-attention #2896",
    .property = "gradient_bound",
    .reason = "wrong-gradient",
    .problem = "shape=1x2x16x16x72 pass=forward+backward",
    .kernel = [] { return kernel<TiledForward, Fault>("dq_conversion_has_another_pitch"); },
    .twin = right_tiled_fused,
}};

}  // namespace
}  // namespace attestone::inline mutants::second_batch
