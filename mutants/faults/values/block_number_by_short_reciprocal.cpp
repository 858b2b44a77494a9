// SPDX-License-Identifier: Apache-2.0
// Mutant of the stream host: shows with thousands of packed rows.
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

  /// Numbers that come out too large may name a sequence behind the batch.
  Sequence planned(Int b) const override { return sequence(std::min(b, a.batch - 1)); }
  Int quotient(Int n, Int d) const override { return (n * ((65536 + d - 1) / d)) >> 16; }
};

const Registration<Mutant> registered{{
    .name = "block_number_by_short_reciprocal",
    .summary = "blocks are numbered by a fixed-point reciprocal of 16 bits, which is exact for small numbers "
               "only: some blocks are never answered",
    .source = "AMD-AGI/Primus-Turbo PR #502",
    .property = "value_bound",
    .reason = "wrong-non-finite",
    .problem = "shape=1x1x4112x2x4",
    .kernel = [] { return kernel<Fault, Stored>("block_number_by_short_reciprocal"); },
    .twin = right_stream_stored,
}};

}  // namespace
}  // namespace attestone::inline mutants::fourth_batch
