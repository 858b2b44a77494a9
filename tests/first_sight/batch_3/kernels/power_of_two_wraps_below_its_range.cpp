// SPDX-License-Identifier: Apache-2.0
// 2^x is a polynomial whose result gets floor(x) added to its exponent bits, without a guard below -126: smaller
// arguments become huge or negative weights. flashinfer-ai/flashinfer pull request 4502, review (exp2_fma_poly without
// the clamp), and tenstorrent/tt-metal pull request 55802. Shows where scores of a row lie more than 87 apart.
#include "../hosts/door.hpp"
#include "../hosts/fused_backward.hpp"
#include "../hosts/pipelined.hpp"

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

LIBRARY(Pipelined<Fault>, FusedBackward<FusedBackwardPolicy>)
