// SPDX-License-Identifier: Apache-2.0
// Mutant of the fused backward host: shows with several threads and several tiles of 32 keys: dQ within its bound, and
// with other bits from call to call.
#include "mutants/hosts/third_batch/fused_backward.hpp"
#include "mutants/hosts/third_batch/kernel.hpp"
#include "mutants/hosts/third_batch/pipelined.hpp"
#include "mutants/hosts/third_batch/right.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::third_batch {
namespace {

struct Fault : FusedBackwardPolicy {
  static bool in_order(const Problem&) { return false; }
  /// Another one each time, so that no two calls add in the same order on any machine.
  static Index first_tile() {
    static std::atomic<Index> groups = 0;
    return groups++;
  }
};

const Registration<Mutant> registered{{
    .name = "deterministic_adds_in_order_of_arrival",
    .summary = "the deterministic flag is taken and not obeyed: dQ is added up in the order of arrival",
    .source = "Dao-AILab/flash-attention #2244",
    .property = "gradient_repeats",
    .reason = "not-repeatable",
    .problem = "shape=1x2x64x512x32 pass=forward+backward",
    .kernel =
        [] {
          return kernel<Pipelined<PipelinedPolicy>, FusedBackward<Fault>>("deterministic_adds_in_order_of_arrival");
        },
    .twin = right_pipelined_fused,
}};

}  // namespace
}  // namespace attestone::inline mutants::third_batch
