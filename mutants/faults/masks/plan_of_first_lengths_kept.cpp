// SPDX-License-Identifier: Apache-2.0
// Mutant of the stream host: shows from the second call of a process on, with the same extents and other lengths.
#include <array>
#include <map>
#include <mutex>

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

  Sequence planned(Int b) const override {
    static std::mutex lock;
    static std::map<std::array<Int, 6>, Sequence> known;
    if (ragged()) return sequence(b);
    const std::lock_guard<std::mutex> hold(lock);
    const std::array<Int, 6> key{b, a.batch, a.heads, a.queries, a.keys, dim};
    return known.try_emplace(key, sequence(b)).first->second;
  }
};

const Registration<Mutant> registered{{
    .name = "plan_of_first_lengths_kept",
    .summary = "the plan of a padded batch is kept for later calls of the same extents, whatever their "
               "lengths",
    .source = "pytorch/pytorch PR #184122",
    .property = "batch_order_irrelevant",
    .reason = "batch-order",
    .problem = "shape=2x2x16x40x16 lengths=40+20",
    .kernel = [] { return kernel<Fault, Stored>("plan_of_first_lengths_kept"); },
    .twin = right_stream_stored,
}};

}  // namespace
}  // namespace attestone::inline mutants::fourth_batch
