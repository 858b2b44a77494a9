// SPDX-License-Identifier: Apache-2.0
// A running maximum that starts at a finite number.
#include "mutants/hosts/staged_blocks/block_program.hpp"

#include "mutants/hosts/staged_blocks/right.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::staged_blocks::block_program {
namespace {

/// Shows where all scores of a row lie below -34657.
struct RunningMaximumStartsAtFiniteSentinel : Policy {
  static constexpr float initial_maximum() { return -5e4f * 0.69314718f; }
};

const Registrations<Mutant> registered{
    {.name = "running_maximum_starts_at_finite_sentinel",
     .summary = "the running maximum starts at -5e4 in units of log2(e), so that a row of lower scores keeps it and "
                "has no weights",
     .source = "flashinfer-ai/flashinfer #4267, flashinfer-ai/flashinfer #4452",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x1x8x4x4 score=bias:full fill=finite_masks",
     .batch = "fifth",
     .kernel = [] { return kernel<RunningMaximumStartsAtFiniteSentinel>("running_maximum_starts_at_finite_sentinel"); },
     .twin = right_block_program},
};

}  // namespace
}  // namespace attestone::inline mutants::staged_blocks::block_program
