// SPDX-License-Identifier: Apache-2.0
// Kernels behind the C door in this process: what they write beside their tensors is seen.
#include "mutants/hosts/door.hpp"

#include <gtest/gtest.h>

#include "backends/kernel_fault.hpp"
#include "tests/random_call.hpp"

namespace attestone {
namespace {

/// Fills the output with ones, and writes `beyond` more elements behind it.
SharedKernel writing(index beyond) {
  const auto forward = [beyond](const attestone_args& args) {
    auto* const out = static_cast<float*>(args.out.data);
    const index count = args.batch * args.heads * args.queries * args.value_dim;
    for (index at = 0; at < count + beyond; ++at) out[at] = 1;
    for (index at = 0; at < args.batch * args.heads * args.queries; ++at)
      static_cast<float*>(args.log_sum_exp.data)[at] = static_cast<float>(args.threads);
  };
  return door_kernel("writing", {.forward = forward, .backward = {}, .limits = "dtypes=f32 layouts=bhsd"});
}

TEST(Door, AnswersAreReadBack) {
  RandomCall call(parse_problem("shape=2x2x3x4x5"));
  call.run(*writing(0));
  EXPECT_EQ(call.outputs.out.view().value(1, 1, 2, 4), 1);
  EXPECT_EQ(call.outputs.log_sum_exp.view().value(1, 1, 2, 0), door_threads);
}

TEST(Door, WhatIsWrittenBehindATensorIsSeen) {
  RandomCall call(parse_problem("shape=1x1x3x4x5"));
  try {
    call.run(*writing(1));
    ADD_FAILURE() << "nobody has seen it";
  } catch (const KernelFault& fault) {
    EXPECT_EQ(fault.reason(), "out-of-bounds-write");
  }
}

TEST(Door, LimitsAreRefusals) {
  EXPECT_TRUE(writing(0)->supports(parse_problem("shape=1x1x3x4x5")));
  EXPECT_FALSE(writing(0)->supports(parse_problem("shape=1x1x3x4x5 dtype=f16")));
  EXPECT_FALSE(writing(0)->supports(parse_problem("shape=1x1x3x4x5 layout=bshd")));
}

}  // namespace
}  // namespace attestone
