// SPDX-License-Identifier: Apache-2.0
// What the table of tensors says is what tensors of a problem are.
#include "reference/tensor/tensor_name.hpp"

#include <gtest/gtest.h>
#include <set>

#include "reference/call/tensors.hpp"
#include "reference/registry.hpp"
#include "reference/tensor/scales.hpp"

namespace attestone {
namespace {

TEST(TensorName, NamesAreDifferent) {
  std::set<std::string_view> names;
  for (const CallTensor& row : call_tensors()) names.insert(row.name);
  EXPECT_EQ(names.size(), call_tensors().size());
  EXPECT_EQ(text(TensorName::log_sum_exp), "log_sum_exp");
}

TEST(TensorName, AGradientHasTheExtentsOfItsTensorInTheOutputFormat) {
  const Problem problem =
      parse_problem("shape=2x4/2x5x7x6:3 score=bias:head&sink:head dtype=bf16>f32 pass=forward+backward");
  for (const CallTensor& row : call_tensors()) {
    if (!row.gradient) continue;
    EXPECT_EQ(text(*row.gradient), "d" + std::string(row.name));
    EXPECT_EQ(extents_of(problem, row.tensor), extents_of(problem, *row.gradient)) << row.name;
    EXPECT_EQ(format_of(problem, *row.gradient), problem.output) << row.name;
  }
  EXPECT_EQ(format_of(problem, TensorName::bias), problem.input);
  EXPECT_EQ(format_of(problem, TensorName::log_sum_exp).name, "f32");
}

TEST(TensorName, ThoseThatAreNeededAreThere) {
  for (const auto& [layout, entry] : Registry<Layout>::all()) {
    const Problem problem = parse_problem("shape=2x4/2x7x7x6 pass=forward+backward layout=" + layout);
    std::set<TensorName> there;
    const Inputs inputs(problem);
    const Outputs outputs(problem);
    const Gradients gradients(problem);
    for (const auto& all : {tensors_of(inputs), tensors_of(outputs), tensors_of(gradients)})
      for (const NamedTensor& named : all) {
        there.insert(named.name);
        EXPECT_EQ(named.tensor->view().extents(), extents_of(problem, named.name)) << text(named.name);
        EXPECT_EQ(named.tensor->view().strides(), strides_of(problem, named.name)) << text(named.name);
        EXPECT_EQ(named.tensor->view().dtype(), format_of(problem, named.name)) << text(named.name);
      }
    for (const CallTensor& row : call_tensors()) EXPECT_TRUE(row.optional || there.count(row.tensor)) << row.name;
  }
}

TEST(TensorName, ScalesAreListedBesideTheirTensor) {
  Inputs inputs(parse_problem("shape=1x1x1x1x4"));
  EXPECT_EQ(tensors_of(inputs).size(), 3u);
  inputs.value.scale_by({{1, 1, 1, 4}, Tensor(dtype("f32"), {1, 1, 1, 1})});
  const std::vector<NamedTensor> all = tensors_of(inputs);
  ASSERT_EQ(all.size(), 4u);
  EXPECT_EQ(all[3].name, TensorName::value_scales);
  EXPECT_EQ(all[3].tensor, &inputs.value.scales()->numbers);
}

}  // namespace
}  // namespace attestone
