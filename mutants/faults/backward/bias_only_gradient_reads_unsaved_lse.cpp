// SPDX-License-Identifier: Apache-2.0
// Mutant of the block program: shows where of all gradients only that of the bias is asked for.
#include "mutants/hosts/fifth_batch/block_program.hpp"
#include "mutants/hosts/fifth_batch/block_right.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::fifth_batch::blocks::block_program {
namespace {

struct Fault : Policy {
  static float saved_lse(const Call& c, const Sequence& s, Int h, Int i) {
    return c.dquery || c.dkey || c.dvalue ? c.lse_of(s, h, i) : 0.0f;
  }
};

const Registration<Mutant> registered{{
    .name = "bias_only_gradient_reads_unsaved_lse",
    .summary = "log_sum_exp is kept for the backward pass only where Q, K or V have a gradient; where the "
               "bias alone has one, weights are computed from zeros",
    .source = "pytorch/pytorch PR #188302, pytorch/pytorch #148476",
    .property = "gradient_bound",
    .reason = "wrong-gradient",
    .problem = "shape=1x1x8x8x8 score=bias:full pass=forward+backward wants=dbias",
    .kernel = [] { return kernel<Fault>("bias_only_gradient_reads_unsaved_lse"); },
    .twin = right_block_program,
}};

}  // namespace
}  // namespace attestone::inline mutants::fifth_batch::blocks::block_program
