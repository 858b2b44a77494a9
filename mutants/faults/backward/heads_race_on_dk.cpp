// SPDX-License-Identifier: Apache-2.0
// Mutant of the split-KV host: shows in dK and dV with more than one thread and heads that share a kv head, in some
// runs more than in others.
#include <atomic>
#include <chrono>

#include "mutants/hosts/fifth_batch/right.hpp"
#include "mutants/hosts/fifth_batch/row_kernel.hpp"
#include "mutants/hosts/fifth_batch/split_kv.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::fifth_batch {
namespace {

struct Fault : SplitKv {
  void head_done(Floats& of_head, Floats& of_kv_head) const override {
    Floats read(of_head.size());
    for (std::size_t n = 0; n < read.size(); ++n)
      read[n] = std::atomic_ref(of_kv_head[n]).load(std::memory_order_relaxed);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));  // long enough for another head
    for (std::size_t n = 0; n < read.size(); ++n)
      std::atomic_ref(of_kv_head[n]).store(read[n] + of_head[n], std::memory_order_relaxed);
    of_head.clear();
  }
};

const Registration<Mutant> registered{{
    .name = "heads_race_on_dk",
    .summary = "query heads on several threads read, add and write dK and dV of their kv head without a lock",
    .source = "tile-ai/TileOPs PR #1633, Dao-AILab/flash-attention PR #2158",
    .property = "gradient_bound",
    .reason = "wrong-gradient",
    .problem = "shape=1x4/1x8x8x8 pass=forward+backward",
    .kernel = [] { return row_kernel<Fault>("heads_race_on_dk"); },
    .twin = right_split_kv,
}};

}  // namespace
}  // namespace attestone::inline mutants::fifth_batch
