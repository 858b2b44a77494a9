// SPDX-License-Identifier: Apache-2.0
// The producer-consumer host, in the manner of warp-specialised kernels: a producer fills a ring of two stages with
// tiles of K and V, and a consumer drains it.
#pragma once

#include "mutants/hosts/staged_blocks/kernel.hpp"
#include "mutants/hosts/staged_blocks/producer_consumer_backward.hpp"
#include "mutants/hosts/staged_blocks/producer_consumer_forward.hpp"
#include "mutants/hosts/staged_blocks/producer_consumer_policy.hpp"

namespace attestone::inline mutants::staged_blocks::producer_consumer {

template <class P>
SharedKernel kernel(std::string name) {
  return block_kernel<P, Forward, Backward>(std::move(name));
}

}  // namespace attestone::inline mutants::staged_blocks::producer_consumer
