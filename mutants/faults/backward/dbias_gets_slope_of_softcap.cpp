// SPDX-License-Identifier: Apache-2.0
// Mutant of the fused backward host: shows in dbias with softcap beside a bias, more the smaller the cap.
#include "mutants/hosts/third_batch/fused_backward.hpp"
#include "mutants/hosts/third_batch/kernel.hpp"
#include "mutants/hosts/third_batch/pipelined.hpp"
#include "mutants/hosts/third_batch/right.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::third_batch {
namespace {

struct Fault : FusedBackwardPolicy {
  static float bias_term(float ds, float slope) { return ds * slope; }
};

const Registration<Mutant> registered{{
    .name = "dbias_gets_slope_of_softcap",
    .summary = "dbias is what dQ and dK are made of, the derivative of the softcap included, though the bias is added "
               "behind it",
    .source = "openxla/tokamax PR #1121",
    .property = "gradient_bound",
    .reason = "wrong-gradient",
    .problem = "shape=1x2x16x24x16 score=softcap:1&bias:head pass=forward+backward",
    .kernel = [] { return kernel<Pipelined<PipelinedPolicy>, FusedBackward<Fault>>("dbias_gets_slope_of_softcap"); },
    .twin = right_pipelined_fused,
}};

}  // namespace
}  // namespace attestone::inline mutants::third_batch
