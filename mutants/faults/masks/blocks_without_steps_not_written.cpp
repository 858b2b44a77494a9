// SPDX-License-Identifier: Apache-2.0
// Mutant of the stream host: shows with a sequence of no keys, and under causal where 16 packed rows lie before the
// first key.
#include "mutants/hosts/fourth_batch/expanded.hpp"
#include "mutants/hosts/fourth_batch/kernel.hpp"
#include "mutants/hosts/fourth_batch/right.hpp"
#include "mutants/hosts/fourth_batch/stream.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::fourth_batch {
namespace {

struct Fault : Stream {
  using Stream::Stream;

  void store_without_steps(const Block&) const override {}
};

const Registration<Mutant> registered{{
    .name = "blocks_without_steps_not_written",
    .summary = "a block that no key can reach has no steps, no processor and no answer: its rows keep what "
               "lay in the memory",
    .source = "Dao-AILab/flash-attention PR #2470",
    .property = "value_bound",
    .reason = "wrong-non-finite",
    .problem = "shape=2x2x8x24x16 lengths=0+24",
    .kernel = [] { return kernel<Fault, Expanded>("blocks_without_steps_not_written"); },
    .twin = right_stream_expanded,
}};

}  // namespace
}  // namespace attestone::inline mutants::fourth_batch
