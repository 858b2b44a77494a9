// SPDX-License-Identifier: Apache-2.0
// Mutant of the unfused backward host: shows in all gradients for sequences of more than 256 keys.
#include "mutants/hosts/second_batch/kernel.hpp"
#include "mutants/hosts/second_batch/right.hpp"
#include "mutants/hosts/second_batch/unfused.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::second_batch {
namespace {

class Fault : public UnfusedBackward {
 protected:
  float row_lse(const Call& c, const Sequence& s, index_t h, index_t i) const override {
    return UnfusedBackward::row_lse(c, s, h, i) * (s.keys > 256 ? 0.6931471805599453f : 1.0f);
  }
};

const Registration<Mutant> registered{{
    .name = "lse_of_long_rows_read_in_base_two",
    .summary = "beyond 256 keys the backward pass takes log_sum_exp, which is natural, for one in base 2",
    .source = "meta-pytorch/attention-gym #200",
    .property = "gradient_bound",
    .reason = "wrong-gradient",
    .problem = "shape=1x2x8x300x16 pass=forward+backward",
    .kernel = [] { return kernel<UnfusedForward, Fault>("lse_of_long_rows_read_in_base_two"); },
    .twin = right_unfused_head,
}};

}  // namespace
}  // namespace attestone::inline mutants::second_batch
