// SPDX-License-Identifier: Apache-2.0
// Bits and threads: all forms but one give the same bits on any number of threads, however often they are asked.
#include <gtest/gtest.h>
#include <omp.h>

#include "tests/backends/definition.hpp"
#include "tests/backends/published_kernels.hpp"
#include "tests/effort.hpp"
#include "tests/random_call.hpp"

namespace attestone {
namespace {

/// Restores OpenMP's number of threads when it goes.
struct ThreadsKept {
  ~ThreadsKept() { omp_set_num_threads(before); }
  int before = omp_get_max_threads();
};

std::vector<std::uint64_t> answers(RandomCall& call, const Kernel& kernel, int threads) {
  omp_set_num_threads(threads);
  EXPECT_EQ(call.run(kernel), kernel.forward_bytes(call.problem)) << kernel.name() << ", " << threads << " threads";
  EXPECT_EQ(call.run_backward(kernel), kernel.backward_bytes(call.problem)) << kernel.name();
  return call.codes();
}

// slow: calls every kernel with three numbers of threads
TEST(Repeats, BitsDoNotDependOnThreads) {
  const ThreadsKept kept;
  for (const char* text :
       {"shape=2x4/2x50x130x32 mask=causal&window:50:0 lengths=130+99 pass=forward+backward",
        "shape=1x3x33x130x16:80 score=bias:key&sink:head dropout=0.2 pass=forward+backward",
        "shape=1x8/2x33x130x40 mask=causal score=softcap:5&bias:pair dtype=bf16 pass=forward+backward"}) {
    RandomCall call(parse_problem(text));
    for (const SharedKernel& kernel : repeatable_kernels()) {
      const auto alone = answers(call, *kernel, 1);
      for (const int threads : {2, 4})
        EXPECT_EQ(answers(call, *kernel, threads), alone) << kernel->name() << " " << text;
    }
  }
}

// Thirty-two tiles of keys add to each element of dQ.
constexpr const char* many_arrivals = "shape=1x2x48x512x16 pass=forward+backward";

TEST(Repeats, DeterministicFormsRepeatTheirBits) {
  const ThreadsKept kept;
  RandomCall call(parse_problem(many_arrivals));
  for (const char* name : {"flash:block_q=16:block_kv=16:block_kv_dkv=16",
                           "flash:block_q=16:block_kv=16:fused_backward=0:block_kv_dkv=16"}) {
    const SharedKernel kernel = make_kernel(name);
    const auto first = answers(call, *kernel, 4);
    for (index n = 1; n < 100; ++n) ASSERT_EQ(answers(call, *kernel, 4), first) << name << ", run " << n;
  }
}

TEST(Repeats, TheOrderOfArrivalShowsInTheBitsAndStaysWithinTheBounds) {
  const ThreadsKept kept;
  RandomCall call(parse_problem(many_arrivals));
  const SharedKernel kernel = make_kernel("flash:block_q=16:block_kv=16:deterministic=0:block_kv_dkv=16");
  const DefinedAttention want = attention_by_rules(call.problem, call.inputs, kernel->numerics(call.problem));
  const auto first = answers(call, *kernel, 4);
  constexpr index most_runs = 5000;
  index runs = 1;
  for (bool varied = false; !varied; ++runs) {
    ASSERT_LT(runs, most_runs) << "dQ had the same bits in every run";
    varied = answers(call, *kernel, 4) != first;
    std::size_t next = 0;
    const ConstView dquery = std::as_const(call.gradients->query).view();
    for_each_element(dquery.extents(), [&](index b, index h, index i, index c) {
      ASSERT_NEAR(dquery.value(b, h, i, c), want.dquery.value[next], want.dquery.bound[next]);
      ++next;
    });
  }
  std::cout << "  bits varied in run " << runs << "\n";
}

/// Both forms sum dK, dV and dbias in the same pass; only dQ comes about differently.
TEST(Repeats, FusedAndUnfusedFormsShareTheBitsOfKeyGradients) {
  RandomCall call(
      parse_problem("shape=2x4/2x50x70x12 mask=causal score=bias:head dtype=bf16>f32 pass=forward+backward"));
  const auto key_side = [&](const char* name) {
    call.run(*make_kernel(name));
    call.run_backward(*make_kernel(name));
    std::vector<std::uint64_t> codes;
    for (const Tensor* tensor : {&call.gradients->key, &call.gradients->value, &*call.gradients->bias})
      for_each_element(tensor->view().extents(),
                       [&](index b, index h, index r, index c) { codes.push_back(tensor->view().code(b, h, r, c)); });
    return codes;
  };
  EXPECT_EQ(key_side("flash:block_q=16:block_kv=32:block_kv_dkv=32"),
            key_side("flash:block_q=16:block_kv=32:fused_backward=0:block_kv_dkv=32"));
}

}  // namespace
}  // namespace attestone
