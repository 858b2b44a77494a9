// SPDX-License-Identifier: Apache-2.0
// Mutant of the block program: shows in dK and dV with more than one thread and heads that share a kv head.
#include <atomic>
#include <latch>
#include <thread>

#include "mutants/hosts/fifth_batch/block_program.hpp"
#include "mutants/hosts/fifth_batch/block_right.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::fifth_batch::blocks::block_program {
namespace {

struct Fault : Policy {
  template <class Head>
  static void add_heads(const Call& c, Int first, Int end, const Head& add_head, Block& dk, Block& dv) {
    if (c.a.threads <= 1) return Policy::add_heads(c, first, end, add_head, dk, dv);
    std::latch all_read(end - first);  // the worst that can happen, and in every run
    std::vector<std::thread> workers;
    for (Int h = first; h < end; ++h)
      workers.emplace_back([&, h] {
        Block of_dk(dk.rows, dk.cols), of_dv(dv.rows, dv.cols);
        add_head(h, of_dk, of_dv);
        add(dk.x, of_dk.x);
        add(dv.x, of_dv.x);
        all_read.arrive_and_wait();
        store(of_dk.x, dk.x);
        store(of_dv.x, dv.x);
      });
    for (std::thread& worker : workers) worker.join();
  }
  static void add(Floats& shared, Floats& of_head) {
    for (std::size_t n = 0; n < of_head.size(); ++n)
      of_head[n] += std::atomic_ref(shared[n]).load(std::memory_order_relaxed);
  }
  static void store(const Floats& of_head, Floats& shared) {
    for (std::size_t n = 0; n < of_head.size(); ++n)
      std::atomic_ref(shared[n]).store(of_head[n], std::memory_order_relaxed);
  }
};

const Registration<Mutant> registered{{
    .name = "group_heads_race_on_dkdv",
    .summary = "with several threads the query heads of a group add to a block of dK and dV at once, and "
               "updates are lost",
    .source = "Dao-AILab/flash-attention PR #2033, Dao-AILab/flash-attention #359, "
              "Dao-AILab/flash-attention PR #2481",
    .property = "gradient_bound",
    .reason = "wrong-gradient",
    .problem = "shape=1x4/1x8x8x8 pass=forward+backward",
    .kernel = [] { return kernel<Fault>("group_heads_race_on_dkdv"); },
    .twin = right_block_program,
}};

}  // namespace
}  // namespace attestone::inline mutants::fifth_batch::blocks::block_program
