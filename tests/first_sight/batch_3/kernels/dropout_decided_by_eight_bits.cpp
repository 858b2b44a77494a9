// SPDX-License-Identifier: Apache-2.0
// A pair is kept by the upper eight bits of its random word, and the rate is rounded down to that. Dao-AILab/flash-
// attention issue 993, NVIDIA/apex pull request 1614 (8 bit comparison). Shows with rates that are no multiple of
// 1/256, in both passes alike: few pairs at 0.1, none dropped at all below 0.0039.
#include "../hosts/door.hpp"
#include "../hosts/fused_backward.hpp"
#include "../hosts/pipelined.hpp"

template <class Host>
struct Fault : Host {
  static bool kept(const Problem& p, const Span& s, Index h, Index i, Index j) {
    const std::uint32_t word = philox(static_cast<std::uint32_t>(s.number), static_cast<std::uint32_t>(h),
                                      static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(j), p.a.dropout_seed);
    return (word >> 24) >= static_cast<std::uint32_t>(std::floor(p.a.dropout * 256.0));
  }
};

LIBRARY(Pipelined<Fault<PipelinedPolicy>>, FusedBackward<Fault<FusedBackwardPolicy>>)
