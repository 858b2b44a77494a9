// SPDX-License-Identifier: Apache-2.0
// A kernel of ours at the other end of the pipe: what it is asked, and what it answers.
#include "backends/plugins/program/answering.hpp"

#include <gtest/gtest.h>

#include "backends/catalogue.hpp"
#include "backends/plugins/program/program_answer.hpp"
#include "backends/plugins/program/program_request.hpp"
#include "tests/contains.hpp"

namespace attestone {
namespace {

/// Numbers that differ, of all tensors.
Inputs numbered(const Problem& problem) {
  Inputs inputs(problem);
  index number = 0;
  for (const View& to : {inputs.query.view(), inputs.key.view(), inputs.value.view()})
    for_each_element(to, [&](index b, index h, index r, index c) {
      to.set(b, h, r, c, static_cast<double>(number++ * 7 % 31 - 15) / 8);
    });
  for (std::optional<Tensor>* some : {&inputs.bias, &inputs.sink})
    if (*some) (*some)->fill_code(0x3F00);
  return inputs;
}

Safetensors message(const Frame& frame) {
  std::vector<std::byte> bytes = frame.bytes();
  bytes.erase(bytes.begin(), bytes.begin() + frame_size_bytes);
  return {std::move(bytes), "a message"};
}

Safetensors answer(const Frame& request, const char* kernel) {
  return message(answer_to(message(request), *make_kernel(kernel), kernel));
}

std::vector<std::byte> bytes_of(const Safetensors& answer, const char* tensor) {
  const auto bytes = answer.tensor(tensor).bytes;
  return {bytes.begin(), bytes.end()};
}

Frame request_of(const Problem& problem, const Inputs& inputs) {
  Outputs outputs(problem);
  return forward_request(problem, arguments_of(problem, inputs, outputs));
}

TEST(Answering, SaysWhatTheKernelIs) {
  const Safetensors said = answer(describe_request(), "sage3_fp4:mean=head");
  EXPECT_EQ(text_of(said, "name"), "sage3_fp4:mean=head");
  EXPECT_EQ(text_of(said, "numerics"), "like=sage3_fp4:mean=head");
  EXPECT_EQ(text_of(said, "conventions"), "outputs=out hidden_nonfinite=propagates ");
  EXPECT_EQ(text_of(said, "passes"), "forward");
  EXPECT_EQ(text_of(answer(describe_request(), "flash"), "passes"), "forward+backward");
}

TEST(Answering, HasTheBitsOfTheKernel) {
  const Problem problem = parse_problem("shape=2x4/2x5x9x8:6 dtype=bf16 mask=causal score=bias:key&sink:head");
  const Inputs inputs = numbered(problem);
  Outputs outputs(problem);
  Device device;
  make_kernel("dense")->forward(problem, arguments_of(problem, inputs, outputs), device);
  const Safetensors got = answer(request_of(problem, inputs), "dense");
  Frame wanted;
  wanted.add("out", outputs.out.view());
  wanted.add("log_sum_exp", outputs.log_sum_exp.view(), {2, 4, 5});
  EXPECT_EQ(bytes_of(got, "out"), wanted.tensors[0].bytes);
  EXPECT_EQ(bytes_of(got, "log_sum_exp"), wanted.tensors[1].bytes);
  EXPECT_EQ(got.tensor("log_sum_exp").shape, wanted.tensors[1].shape);
}

TEST(Answering, SaysWhatIsWrong) {
  const Problem problem = parse_problem("shape=1x1x2x3x4 dtype=f32");
  const Inputs inputs = numbered(problem);
  EXPECT_TRUE(contains(text_of(answer(request_of(problem, inputs), "sage3_fp4"), "refused"), "f16 and bf16"));
  Frame lacking = request_of(problem, inputs);
  lacking.tensors.pop_back();
  EXPECT_TRUE(contains(text_of(answer(lacking, "flash"), "error"), "value"));
  Frame unknown = describe_request();
  unknown.texts["call"] = "sideways";
  EXPECT_TRUE(contains(text_of(answer(unknown, "flash"), "error"), "sideways"));
  Frame gradients = request_of(problem, inputs);
  gradients.texts["call"] = "backward";
  EXPECT_TRUE(contains(text_of(answer(gradients, "flash"), "error"), "pass=forward+backward"));
}

}  // namespace
}  // namespace attestone
