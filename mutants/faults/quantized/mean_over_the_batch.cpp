// SPDX-License-Identifier: Apache-2.0
// Mutant of the host with matrices: shows with several sequences, and in the codes alone.
#include "mutants/hosts/sixth_batch/block_codes.hpp"
#include "mutants/hosts/sixth_batch/kernel.hpp"
#include "mutants/hosts/sixth_batch/right.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::sixth_batch {
namespace {

struct Fault : BlockInt8 {
  std::vector<float> mean_of_keys(const attestone_args& a, index /*b*/, index kv_head) const override {
    std::vector<float> mean(static_cast<std::size_t>(a.dim));
    for (index c = 0; c < a.dim; ++c) {
      double sum = 0;
      for (index b = 0; b < a.batch; ++b)
        for (index j = 0; j < a.keys; ++j) sum += static_cast<double>(load(a.key, b, kv_head, j, c));
      mean[static_cast<std::size_t>(c)] =
          narrow(sum / (mean_count(a) * static_cast<double>(a.batch)), format_of(a.key));
    }
    return mean;
  }
};

const Registration<Mutant> registered{{
    .name = "mean_over_the_batch",
    .summary = "K loses its mean over the keys of all sequences of the batch, where the mean over its own is declared",
    .source = "thu-ml/SageAttention, sageattn_varlen",
    .property = "codes_bound",
    .reason = "wrong-number",
    .problem = "shape=2x1x2x4x4 dtype=f16",
    .kernel = [] { return kernel<Fault>("mean_over_the_batch"); },
    .twin = right_block_int8,
}};

}  // namespace
}  // namespace attestone::inline mutants::sixth_batch
