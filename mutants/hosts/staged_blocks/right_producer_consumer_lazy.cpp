// SPDX-License-Identifier: Apache-2.0
// A right kernel: the producer-consumer host in another order, whose sums are rescaled only where the maximum moved by
// more than 8 in base 2, which is declared.
#include "mutants/hosts/staged_blocks/producer_consumer.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::staged_blocks::producer_consumer {
namespace {

struct Lazy : Policy {
  static constexpr Int kBlockM = 16, kBlockN = 48;
  static constexpr bool kForwardOrder = true;
  static constexpr float kRescaleAbove = 5.545f;
  static constexpr std::string_view numerics = "merge.form=rescaled_sums merge.parts=4 weight.reference_below=5.546";

  static float exponential(float x) { return std::exp2(x * 1.44269504088896341f); }
};

const Registration<Twin> registered{{
    .name = "right_producer_consumer_lazy",
    .summary = "keys from the first tile on, exponentials to base 2, sums rescaled only where the maximum moved far, "
               "as declared",
    .batch = "fifth",
    .kernel = [] { return kernel<Lazy>("right_producer_consumer_lazy"); },
}};

}  // namespace
}  // namespace attestone::inline mutants::staged_blocks::producer_consumer
