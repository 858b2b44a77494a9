// SPDX-License-Identifier: Apache-2.0
// A bound that everything stays below says nothing: wrong kernels and lower classes must exceed it.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "reference/error_bound/forward/forward_bound.hpp"
#include "tests/reference/error_bound/emulated_kernel.hpp"
#include "tests/reference/error_bound/fills.hpp"

namespace attestone::emulation {
namespace {

/// The largest error over the probabilistic bound, over all rows of one input.
double ratio(const std::string& line, const std::string& fill, const Recipe& recipe) {
  const Problem problem = parse_problem(line);
  const Numerics numerics = default_numerics(problem.input, problem.output);
  Inputs inputs(problem);
  const auto found = std::find_if(fills().begin(), fills().end(), [&](const Fill& f) { return f.name == fill; });
  found->fill(problem, problem.seed, inputs);
  const ForwardBound bound(problem, inputs, numerics);
  double worst = 0;
  for (index query = 0; query < problem.shape.queries; ++query) {
    const auto row = bound.row(0, 0, query);
    const Row got = answer(problem, inputs, numerics, recipe, 0, 0, query);
    const ExactRow truth = exact(problem, inputs, 0, 0, query);
    for (std::size_t c = 0; c < got.out.size(); ++c) {
      const auto error = static_cast<double>(std::abs(static_cast<long double>(got.out[c]) - truth.out[c]));
      worst = std::max(worst, error / row->out_probabilistic(static_cast<index>(c)));
    }
  }
  fmt::print("{:7.1f}  {}, {}, {}\n", worst, recipe.name, fill, line);
  return worst;
}

TEST(Power, EvaluationWhollyInBf16IsNotBf16P) {
  const Recipe narrow{.name = "all bf16", .all_in = "bf16"};
  for (const std::string fill : {"normal", "times three", "uniform"})
    EXPECT_GT(ratio("shape=1x1x4x256x64:8 dtype=bf16", fill, narrow), 1.3) << fill;
}

TEST(Power, NarrowWeightsAreNotFp32) {
  for (const index keys : {64, 256, 1024}) {
    const std::string line = fmt::format("shape=1x1x4x{}x64:8 dtype=f32", keys);
    EXPECT_GT(ratio(line, "normal", {.name = "weights in bf16", .cast_to = "bf16"}), 10) << keys;
    EXPECT_GT(ratio(line, "normal", {.name = "weights in f16", .cast_to = "f16"}), 1.5) << keys;
  }
}

TEST(Power, AForgottenKeyShows) {
  for (const std::string dtype : {"f32", "f16", "bf16"})
    for (const index keys : {2, 16, 128, 1000}) {
      const std::string line = fmt::format("shape=1x1x4x{}x64:8 dtype={}", keys, dtype);
      const double least = dtype == "bf16" && keys == 1000 ? 0.5 : 1;  // one key of a thousand weighs less than u_P
      EXPECT_GT(ratio(line, "normal", {.name = "last key forgotten", .forgotten_keys = 1}), least) << line;
    }
}

}  // namespace
}  // namespace attestone::emulation
