// SPDX-License-Identifier: Apache-2.0
// Mutant of the expanded backward host: shows in dK and dV where queries are no multiple of 32 and the last log_sum_exp
// lies below -88.
#include "mutants/hosts/fourth_batch/expanded.hpp"
#include "mutants/hosts/fourth_batch/fragments.hpp"
#include "mutants/hosts/fourth_batch/kernel.hpp"
#include "mutants/hosts/fourth_batch/right.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::fourth_batch {
namespace {

struct Fault : Expanded {
  using Expanded::Expanded;

  float lse_of_tail(float last) const override { return last; }
  bool takes_tail() const override { return true; }
};

const Registration<Mutant> registered{{
    .name = "tail_rows_take_last_log_sum_exp",
    .summary = "rows behind the last query are zeros, and take its log_sum_exp: e^(0 - L) may be infinite, "
               "and infinity * 0 is NaN",
    .source = "NVIDIA/cudnn-frontend #1072",
    .property = "gradient_bound",
    .reason = "wrong-non-finite",
    .problem = "shape=1x2x20x24x16 fill=cold pass=forward+backward",
    .kernel = [] { return kernel<Fragments, Fault>("tail_rows_take_last_log_sum_exp"); },
    .twin = right_fragments_expanded,
}};

}  // namespace
}  // namespace attestone::inline mutants::fourth_batch
