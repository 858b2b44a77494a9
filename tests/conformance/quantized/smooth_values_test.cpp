// SPDX-License-Identifier: Apache-2.0
// A kernel of somebody else that smooths V, on rows that see some keys or none: judged by what it declares.
#include <cmath>
#include <gtest/gtest.h>

#include "backends/catalogue.hpp"
#include "backends/changed_kernel.hpp"
#include "conformance/run/run.hpp"
#include "reference/registry.hpp"

namespace attestone {
namespace {

/// `dense` on V less the mean of the keys that a sequence has, to which O, once stored, is added in f16.
void smooth(const Kernel& dense, const Problem& problem, const Arguments& arguments, Device& device) {
  Inputs inputs(problem);
  const auto half = [](double x) { return dtype("f16").round(x); };
  const Shape& shape = problem.shape;
  const View value = inputs.value.view();
  std::vector<double> means;
  for (index b = 0; b < shape.batch; ++b)
    for (index h = 0; h < shape.kv_heads; ++h)
      for (index c = 0; c < shape.value_dim; ++c) {
        double sum = 0;
        const index keys = problem.sequence(b).keys;
        for (index j = 0; j < keys; ++j) sum += arguments.value.value(b, h, j, c);
        means.push_back(keys == 0 ? 0 : half(sum / static_cast<double>(keys)));
        for (index j = 0; j < shape.keys; ++j)
          value.set(b, h, j, c, half(arguments.value.value(b, h, j, c) - means.back()));
      }
  Arguments own = arguments;
  own.value = inputs.value.view();
  dense.forward(problem, own, device);
  for_each_element(arguments.out, [&](index b, index h, index i, index c) {
    const bool is_empty = arguments.log_sum_exp.value(b, h, i, 0) == -INFINITY;
    const index mean = (b * shape.kv_heads + shape.kv_head(h)) * shape.value_dim + c;
    if (!is_empty)
      arguments.out.set(b, h, i, c, half(arguments.out.value(b, h, i, c) + means[static_cast<std::size_t>(mean)]));
  });
}

constexpr const char* declared =
    "value.codes.rule=f16 value.codes.sharing=channel value.codes.centring=rounded output.accumulator.roundoff=0x1p-11";

KernelRun judged(std::string fields) {
  const SharedKernel smoothing =
      changed(make_kernel("dense"),
              {.conventions = Conventions{.hidden_nonfinite = HiddenNonfinite::propagates}, .forward = smooth});
  std::vector<Problem> problems;
  for (const char* line :
       {"shape=2x4/2x5x9x16 dtype=f16 lengths=9+4 fill=channel_offset", "shape=1x1x7x3x8 dtype=f16 mask=causal",
        "shape=2x1x4x6x8 dtype=f16 lengths=0+5", "shape=1x2x30x60x32 dtype=f16 fill=outliers"})
    problems.push_back(parse_problem(line));
  RunOptions options{.problems = problems, .explain = false};
  options.properties = {Registry<Property>::find("codes_bound"), Registry<Property>::find("value_bound")};
  return examine(std::make_shared<const ChangedKernel>(declaring(*smoothing, std::move(fields))), options);
}

TEST(SmoothingKernel, ConformsToWhatItDeclares) {
  const KernelRun run = judged(declared);
  for (const Failure& failure : run.failures) ADD_FAILURE() << failure.first.text() << failure.verdict.evidence;
  EXPECT_EQ(run.counts.at(Outcome::passed), 8);
}

TEST(SmoothingKernel, IsConvictedOfWhatItLeavesOut) {
  EXPECT_FALSE(judged("").failures.empty());
  std::string uncentred(declared);
  const std::string rounded = "centring=rounded";
  ASSERT_NE(uncentred.find(rounded), std::string::npos);
  EXPECT_FALSE(judged(uncentred.replace(uncentred.find(rounded), rounded.size(), "centring=none")).failures.empty());
}

}  // namespace
}  // namespace attestone
