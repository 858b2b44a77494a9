// SPDX-License-Identifier: Apache-2.0
// Mutant of the fused backward host: shows in dK and dV with query_lengths that hold a 0, padded or ragged.
#include "mutants/hosts/third_batch/fused_backward.hpp"
#include "mutants/hosts/third_batch/kernel.hpp"
#include "mutants/hosts/third_batch/pipelined.hpp"
#include "mutants/hosts/third_batch/right.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::third_batch {
namespace {

struct Fault : FusedBackwardPolicy {
  static bool writes_keys(const Sequence& s) { return s.queries > 0; }
};

const Registration<Mutant> registered{{
    .name = "keys_of_sequence_without_queries_not_written",
    .summary = "a sequence that has no queries has no work, and dK and dV of its keys keep what lay in the memory",
    .source = "Dao-AILab/flash-attention #2562",
    .property = "gradient_bound",
    .reason = "wrong-non-finite",
    .problem = "shape=2x2x8x24x16 query_lengths=8+0 pass=forward+backward",
    .kernel =
        [] {
          return kernel<Pipelined<PipelinedPolicy>, FusedBackward<Fault>>(
              "keys_of_sequence_without_queries_not_written");
        },
    .twin = right_pipelined_fused,
}};

}  // namespace
}  // namespace attestone::inline mutants::third_batch
