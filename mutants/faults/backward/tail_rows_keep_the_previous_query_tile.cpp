// SPDX-License-Identifier: Apache-2.0
// Mutant of the fused backward host: shows in dK and dV for more than 32 queries that are no multiple of 32.
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
  bool tail_rows_are_masked() const override { return false; }
};

const Registration<Mutant> registered{{
    .name = "tail_rows_keep_the_previous_query_tile",
    .summary = "the last tile of queries is loaded without a mask for its missing rows: they still hold those of the "
               "tile before, which count twice",
    .source = "flagos-ai/FlagGems #3607",
    .property = "gradient_bound",
    .reason = "wrong-gradient",
    .problem = "shape=1x2x40x32x16 pass=forward+backward",
    .kernel = [] { return kernel<TiledForward, Fault>("tail_rows_keep_the_previous_query_tile"); },
    .twin = right_tiled_fused,
}};

}  // namespace
}  // namespace attestone::inline mutants::second_batch
