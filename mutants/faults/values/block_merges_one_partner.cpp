// SPDX-License-Identifier: Apache-2.0
// Mutant of the stream host: shows where few blocks have many steps.
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

  bool takes(const Block&, Int owner, Int c) const override { return c == owner + 1; }
};

const Registration<Mutant> registered{{
    .name = "block_merges_one_partner",
    .summary = "who finishes a block adds what the next processor did of it, and no more: a block is thought "
               "to lie on two processors at most",
    .source = "ROCm/rocm-libraries PR #2337",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x1x1x1000x16",
    .kernel = [] { return kernel<Fault, Stored>("block_merges_one_partner"); },
    .twin = right_stream_stored,
}};

}  // namespace
}  // namespace attestone::inline mutants::fourth_batch
