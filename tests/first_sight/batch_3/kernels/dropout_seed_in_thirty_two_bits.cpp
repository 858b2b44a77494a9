// SPDX-License-Identifier: Apache-2.0
// The seed is passed on as 32 bits. flagos-ai/FlagGems pull request 27 ("seed and offset are downcast to uint32 in the
// kernel"). Shows with dropout and a seed from 2^32 on, in both passes alike.
#include "../hosts/door.hpp"
#include "../hosts/fused_backward.hpp"
#include "../hosts/pipelined.hpp"

template <class Host>
struct Fault : Host {
  static bool kept(const Problem& p, const Span& s, Index h, Index i, Index j) {
    const auto threshold = static_cast<std::uint32_t>(std::floor(p.a.dropout * 4294967296.0));
    return philox(static_cast<std::uint32_t>(s.number), static_cast<std::uint32_t>(h), static_cast<std::uint32_t>(i),
                  static_cast<std::uint32_t>(j), static_cast<std::uint32_t>(p.a.dropout_seed)) >= threshold;
  }
};

LIBRARY(Pipelined<Fault<PipelinedPolicy>>, FusedBackward<Fault<FusedBackwardPolicy>>)
