// SPDX-License-Identifier: Apache-2.0
// Mutant of the pipelined host: shows where scores of a row lie more than 87 apart.
#include "mutants/hosts/third_batch/fused_backward.hpp"
#include "mutants/hosts/third_batch/kernel.hpp"
#include "mutants/hosts/third_batch/pipelined.hpp"
#include "mutants/hosts/third_batch/right.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::third_batch {
namespace {

struct Fault : PipelinedPolicy {
  static float power_of_two(float x) {
    if (std::isnan(x) || x == kInf) return x;
    const float whole = std::nearbyint(std::max(x, -2.0e9f)), f = x - whole;
    const float y =
        1.0f +
        f * (0.693147181f +
             f * (0.240226507f +
                  f * (0.0555041087f +
                       f * (0.00961812911f + f * (0.00133335581f + f * (0.000154035304f + f * 0.0000152527338f))))));
    const auto exponent = static_cast<std::uint32_t>(static_cast<std::int32_t>(whole));
    return std::bit_cast<float>(std::bit_cast<std::uint32_t>(y) + (exponent << 23));
  }
};

const Registration<Mutant> registered{{
    .name = "power_of_two_wraps_below_its_range",
    .summary = "2^x is a polynomial whose result gets floor(x) added to its exponent bits, without a guard below -126: "
               "smaller arguments become huge or negative weights",
    .source = "flashinfer-ai/flashinfer PR #4502, tenstorrent/tt-metal PR #55802",
    .property = "value_bound",
    .reason = "wrong-non-finite",
    .problem = "shape=1x2x16x64x16 scale=50",
    .kernel =
        [] {
          return kernel<Pipelined<Fault>, FusedBackward<FusedBackwardPolicy>>("power_of_two_wraps_below_its_range");
        },
    .twin = right_pipelined_fused,
}};

}  // namespace
}  // namespace attestone::inline mutants::third_batch
