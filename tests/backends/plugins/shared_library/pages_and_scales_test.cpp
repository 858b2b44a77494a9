// SPDX-License-Identifier: Apache-2.0
// Pages and scales on their way through both doors; and libraries that were built before there were any.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "backends/plugins/program/program_request.hpp"
#include "backends/plugins/shared_library/plugin_kernel.hpp"
#include "conformance/trial/poison.hpp"
#include "reference/files/safetensors.hpp"
#include "reference/tensor/row_reader.hpp"
#include "reference/tensor/scales.hpp"
#include "tests/places.hpp"

namespace attestone {
namespace {

const Problem& problem() {
  static const Problem problem = parse_problem("shape=2x3x7x7x8 lengths=5+7");
  return problem;
}

/// key and value in pages of 4 rows, key int8 with a scale for 2 rows.
Inputs paged_inputs() {
  Inputs inputs(problem());
  for (Tensor* tensor : {&inputs.query, &inputs.value}) tensor->fill_code(0);
  const Pages pages{
      .rows_per_page = 4, .page_count = 6, .pages_per_sequence = 2, .table = {5, 1, 0, 3}, .rows = {5, 7}};
  constexpr Extents extents{2, 3, 7, 8};
  constexpr Strides strides{4 * 3 * 8, 8, 3 * 8, 1};  // [page, row, head, channel]
  inputs.value = Tensor(dtype("f32"), extents, strides, pages);
  inputs.value.fill_code(0);
  inputs.key = Tensor(dtype("int8"), extents, strides, pages);
  int next = 0;
  for (std::byte& byte : inputs.key.bytes()) byte = static_cast<std::byte>(next += 37);
  Tensor scales(dtype("f32"), {2, 3, 4, 1});
  for_each_element(scales.view(), [&](index b, index h, index r, index c) {
    scales.view().set(b, h, r, c, static_cast<double>(1 + b + 2 * h + 6 * r) / 16);
  });
  inputs.key.scale_by({{1, 1, 2, 8}, std::move(scales)});
  return inputs;
}

Outputs answer(const std::string& library, const Inputs& inputs) {
  const SharedKernel kernel = plugin_kernel(fmt::format("{}/plugins/{}", program_folder(), library));
  Outputs outputs = poisoned_outputs(problem(), Poison::nan);
  Device device;
  const VisiblePairs mask(problem());
  kernel->forward(problem(), arguments_of(problem(), inputs, outputs, &mask), device);
  return outputs;
}

TEST(PagesAndScales, ReachALibrary) {
  const Inputs inputs = paged_inputs();
  EXPECT_EQ(packed_values(answer("reads_pages.so", inputs).out.view()), packed_values(inputs.key.view()));
}

TEST(PagesAndScales, DoNotDisturbALibraryBuiltBeforeThem) {
  Inputs inputs(problem());
  for (Tensor* tensor : {&inputs.query, &inputs.key, &inputs.value}) tensor->fill_code(dtype("f32").encode(0.75));
  EXPECT_EQ(packed_values(answer("knows_no_scales.so", inputs).out.view()), packed_values(inputs.query.view()));
}

TEST(PagesAndScales, ReachAProgram) {
  const Inputs inputs = paged_inputs();
  Outputs outputs(problem());
  const VisiblePairs mask(problem());
  const auto bytes = forward_request(problem(), arguments_of(problem(), inputs, outputs, &mask)).bytes();
  const Safetensors read({bytes.begin() + frame_size_bytes, bytes.end()}, "message");
  EXPECT_EQ(read.metadata().at("rows_per_page"), "4");
  EXPECT_EQ(read.metadata().at("key_scale_block"), "1x1x2x8");
  EXPECT_EQ(read.metadata().count("value_scale_block"), 0u);
  EXPECT_EQ(read.tensor("block_table").shape, (std::vector<index>{2, 2}));
  EXPECT_EQ(read.tensor("key").stored_dtype, "I8");
  EXPECT_EQ(read.tensor("key").shape, (std::vector<index>{6, 3, 4, 8}));  // pages, heads, rows of a page, channels
  const ConstView key = inputs.key.view();
  const auto at =
      static_cast<std::size_t>(((1 * 3 + 2) * 4 + 0) * 8 + 6);  // row 4 of sequence 0 is the first of page 1
  EXPECT_EQ(std::to_integer<std::uint64_t>(read.tensor("key").bytes[at]), key.code(0, 2, 4, 6));
  EXPECT_EQ(read.tensor("key_scales").shape, (std::vector<index>{2, 3, 4, 1}));
  EXPECT_EQ(read.tensor("value").shape, (std::vector<index>{6, 3, 4, 8}));
}

}  // namespace
}  // namespace attestone
