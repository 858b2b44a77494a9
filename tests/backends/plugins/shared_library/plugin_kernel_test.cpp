// SPDX-License-Identifier: Apache-2.0
// The C door from inside: what a library is handed is what the problem says, byte for byte.
#include "backends/plugins/shared_library/plugin_kernel.hpp"

#include <gtest/gtest.h>

#include "backends/kernel_fault.hpp"
#include "backends/plugins/shared_library/call_plan.hpp"
#include "conformance/problems/fill.hpp"
#include "conformance/trial/poison.hpp"
#include "conformance/trial/same_bits.hpp"
#include "reference/user_error.hpp"
#include "tests/places.hpp"
#include "tests/test_name.hpp"

namespace attestone {
namespace {

/// The library that answers with what it was handed (tests/plugins/).
std::string echo_library() { return program_folder() + "/plugins/echo.so"; }

/// out and log_sum_exp of one call.
Outputs echoed(const Kernel& kernel, const Problem& problem, const Inputs& inputs) {
  Outputs outputs = poisoned_outputs(problem, Poison::nan);
  Device device;
  const VisiblePairs mask(problem);
  const Arguments arguments =
      arguments_of(problem, inputs, outputs, kernel.wants_mask_bytes(problem) ? &mask : nullptr);
  kernel.forward(problem, arguments, device);
  return outputs;
}

class PluginKernel : public testing::TestWithParam<std::string> {};

// The library checks what it is handed against the text of the problem, and answers out = query.
TEST_P(PluginKernel, IsHandedTheProblem) {
  const SharedKernel kernel = plugin_kernel(echo_library());
  const Problem problem = parse_problem(GetParam());
  const Inputs inputs = filled(problem);
  const Outputs outputs = echoed(*kernel, problem, inputs);
  for_each_element(inputs.query.view(), [&](index b, index h, index r, index c) {
    ASSERT_EQ(outputs.out.view().code(b, h, r, c), inputs.query.view().code(b, h, r, c)) << b << h << r << c;
  });
  for_each_element(outputs.log_sum_exp.view(), [&](index b, index h, index r, index c) {
    const double expected = static_cast<double>((b * problem.shape.heads + h) * problem.shape.queries + r);
    if (problem.layout == "ragged") return;  // whose rows are counted over all sequences
    ASSERT_EQ(outputs.log_sum_exp.view().value(b, h, r, c), expected);
  });
  EXPECT_TRUE(outputs.out.guards_intact() && outputs.log_sum_exp.guards_intact());
}

INSTANTIATE_TEST_SUITE_P(Problems, PluginKernel,
                         testing::Values("shape=1x1x1x1x8", "shape=2x4/2x5x9x8 dtype=bf16",
                                         "shape=2x3x5x5x8 layout=bshd", "shape=2x3x5x5x8 layout=strided dtype=f16",
                                         "shape=2x3x5x9x8 spare_rows=2 layout=transposed+key/broadcast+out/bshd",
                                         "shape=1x2x5x5x8 pass=forward+backward deterministic=0",
                                         "shape=2x2x5x5x8 layout=packed_qkv", "shape=2x4/2x5x9x8 layout=broadcast",
                                         "shape=3x2x5x5x8 layout=ragged lengths=5+0+3 query_lengths=5+0+3",
                                         "shape=3x2x5x5x8 layout=ragged lengths=5+0+3 query_lengths=5+0+3 spare_rows=4",
                                         "shape=2x3x5x9x8 layout=sparse",
                                         "shape=2x3x5x9x8 layout=bhsd+key/sparse threads=3",
                                         "shape=2x2x5x9x8 mask=causal&window:3:0 lengths=9+4",
                                         "shape=1x2x5x9x8 score=softcap:30&alibi scale=0.25 dropout=0.5 seed=77",
                                         "shape=2x2x5x9x8 score=bias:head&sink:head", "shape=1x1x0x8x8",
                                         "shape=1x1x8x0x8"),
                         by_parameter);

TEST(PluginDoor, RefusesWhatItCannotCarry) {
  const SharedKernel kernel = plugin_kernel(echo_library());
  EXPECT_FALSE(kernel->supports(parse_problem("shape=1x1x4x4x4 score=relative_position:0.1")));
  EXPECT_TRUE(kernel->supports(parse_problem("shape=1x1x4x4x4")));
}

TEST(PluginDoor, StaysWarmBetweenCallsAndStartsAfreshWhenAsked) {
  const SharedKernel kernel = plugin_kernel(echo_library());
  // With seed=1000 the library answers how often it was called.
  const Problem problem = parse_problem("shape=1x1x1x1x1 seed=1000");
  const Inputs inputs = filled(problem);
  const auto count = [&] { return echoed(*kernel, problem, inputs).out.view().value(0, 0, 0, 0); };
  EXPECT_EQ(count(), 1);
  EXPECT_EQ(count(), 2);
  kernel->restart();
  EXPECT_EQ(count(), 1);
}

TEST(PluginDoor, KeepsItsWorkspaceApart) {
  const SharedKernel kernel = plugin_kernel(echo_library());
  const Problem problem = parse_problem("shape=2x3x5x5x8");
  EXPECT_EQ(kernel->forward_bytes(problem), 8 * 5 * 3 * 2);
}

TEST(CallPlan, KeepsTensorsApartAndSeesWhatChangesBetweenThem) {
  const Problem problem = parse_problem("shape=2x3x5x9x8");
  const Inputs inputs = filled(problem);
  Outputs outputs(problem);
  const CallPlan plan(problem, arguments_of(problem, inputs, outputs), wire::Request::forward, 100);
  EXPECT_EQ(plan.scribbled(), "");
  const wire::Region& out = plan.call().tensor(TensorName::out).region;
  EXPECT_EQ(out.begin % wire::alignment, 0);
  const index from_inputs = plan.call().file_bytes[0];
  ASSERT_TRUE(plan.locate(from_inputs + out.begin - 1));
  EXPECT_EQ(plan.locate(from_inputs + out.begin - 1)->distance, -1);
  EXPECT_TRUE(plan.locate(from_inputs + out.begin)->inside);
  EXPECT_EQ(plan.locate(from_inputs + out.begin + out.bytes)->tensor, "out");
  EXPECT_FALSE(plan.locate(-1));
  for (const index at : {out.begin - 1, out.first_page}) {
    std::byte& byte = plan.outputs().bytes()[static_cast<std::size_t>(at)];
    const std::byte before = std::exchange(byte, std::byte{0});
    EXPECT_EQ(plan.scribbled(), "out");
    byte = before;
  }
}

}  // namespace
}  // namespace attestone
