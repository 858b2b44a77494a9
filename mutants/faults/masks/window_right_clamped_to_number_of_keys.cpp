// SPDX-License-Identifier: Apache-2.0
// Mutant of the producer-consumer host: shows with a left window and more queries than keys.
#include "mutants/hosts/fifth_batch/block_right.hpp"
#include "mutants/hosts/fifth_batch/producer_consumer.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::fifth_batch::blocks::producer_consumer {
namespace {

struct Fault : Policy {
  static Int window_right(Int right, const Call& c) {
    return !c.band.bounded_left() ? right : std::min<Int>(right, c.a.keys);
  }
};

const Registration<Mutant> registered{{
    .name = "window_right_clamped_to_number_of_keys",
    .summary = "with a left window, a right one without a border is set to the number of keys, which the "
               "position of early queries lies below",
    .source = "Dao-AILab/flash-attention #895",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x1x24x8x8 mask=window:40:-1",
    .kernel = [] { return kernel<Fault>("window_right_clamped_to_number_of_keys"); },
    .twin = right_producer_consumer,
}};

}  // namespace
}  // namespace attestone::inline mutants::fifth_batch::blocks::producer_consumer
