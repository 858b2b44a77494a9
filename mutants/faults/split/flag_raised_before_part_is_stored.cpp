// SPDX-License-Identifier: Apache-2.0
// Mutant of the stream host: shows with more than one thread where processors share a block, in some runs more than in
// others.
#include <chrono>

#include "mutants/hosts/fourth_batch/kernel.hpp"
#include "mutants/hosts/fourth_batch/right.hpp"
#include "mutants/hosts/fourth_batch/stored.hpp"
#include "mutants/hosts/fourth_batch/stream.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::fourth_batch {
namespace {

struct Fault : Stream {
  using Stream::Stream;

  void publish(Int c, const Partial& part) override {
    raise_flag(c);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    store_part(c, part);
  }
};

const Registration<Mutant> registered{{
    .name = "flag_raised_before_part_is_stored",
    .summary = "a processor says that its part is there before it has stored it",
    .source = "NVIDIA/cutlass #2027",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x2x4x400x16",
    .kernel = [] { return kernel<Fault, Stored>("flag_raised_before_part_is_stored"); },
    .twin = right_stream_stored,
}};

}  // namespace
}  // namespace attestone::inline mutants::fourth_batch
